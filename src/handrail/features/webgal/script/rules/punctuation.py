"""Rules for semicolons, colons, blanks and signs that look right but are wrong."""

import re

from handrail.features.webgal.script.commands import COMMANDS, Content
from handrail.features.webgal.script.line import Findings, Line
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR

_WIDE_SEMICOLON = re.compile(r"；\s*$")
_WIDE_COLON = re.compile(r"^\s*(?P<name>[？?]{1,4}|[^：:;；\s，。！？…“”「」『』（）()\[\]{}]{1,16}?)\s*(?P<colon>：)")
_SPEECH = re.compile(r"[说道问答喊叫想曰云是为着写念骂笑]$")
_NO_COMMENT = re.compile(r"^\s*(?P<mark>//+|/\*+|<!--|#+)(?=\s|//|[^\d\s])")
_REMARK = re.compile(r"(?<=\S)\s+//")
_SPACED_WORD = re.compile(r"^(?P<name>[A-Za-z]+)(?P<blank>[ \t]+)(?P<rest>[^-\s:：].*)$")
# These are also English words: commands only if what follows can't be anything else.
_SPACED_CONTENT = re.compile(
    r"(?:bgm\b.*\.\w{3,4}|wait\s+\d+|label\s+\S+|choose\b.*\|.*|intro\s+[^\x00-\x7f].*)(?: -.*)?$",
    re.DOTALL,
)
# The last word of an option and its target; each word is looked at once, however many colons it has.
_OPTION = re.compile(r"(?<!\S)[^\s:]*+:\S++(?= -|$)")
SHOWN = frozenset({Content.TEXT, Content.CHOICE})
"""Text that the player reads: a slash or a dash in it may be intended."""
_ANOTHER = re.compile(r"(?P<name>[A-Za-z]+):\S")
_SPOKEN = re.compile(r"[^\s:：]{1,16}:[^:]+")
_MIXED_CASE = re.compile(r"[a-z][A-Z]")
_MIXED_BY_LOWER = {name.lower(): name for name in COMMANDS if _MIXED_CASE.search(name)}
LONGEST_NAME = 8
# Words before a full-width colon in narration that are not persons.
_HEADINGS = """
    提示 注意 警告 时间 時間 地点 地點 日期 天气 任务 任務 目标 目標 系统 系統 备注 说明 說明 获得 獲得 奖励 状态
    姓名 名字 年龄 性别 身份 标题 结局 結局 成就 线索 線索 问题 問題 答案 选项 例如 比如 名称 内容 地址 电话 等级
    用户名 用戶名 系统提示 密码 结果 原因 总之 另外 作者 制作 製作 脚本 剧本 劇本 音乐 音樂 配音 美术 美術 人物 背景
    序章 终章 終章 尾声 番外 场景 場景 道具 物品 效果 技能 结论 結論 主题 类型 来源 出处 参考 链接 网址 邮箱 价格 数量
    注 附 Note Notes Tip Tips PS BGM CG CV Staff STAFF
"""
_NOT_PERSONS = frozenset(_HEADINGS.split())
_HEADING = re.compile(
    r"(?:提示|提醒|声明|聲明|说明|說明|介绍|介紹|信息|资料|状态|名称|时间|地点|日期|等级|感谢|感謝|鸣谢|要求|条件|规则|目录|列表|度|值)$"
)
_CLAUSE = re.compile(r"(?:[我你您他她它](?:们|們)?的|[这那這第本今]|当前|目前|现在|於是|于是|最后|最後).")


def check_punctuation(line: Line) -> Findings:
    if not line.has_semicolon:
        yield from _missing_semicolon(line)
    elif line.sentence.comment:
        yield from _cut(line)
    if line.is_dialogue:
        yield from _false_comment(line)
        yield from _colon(line)


def _missing_semicolon(line: Line) -> Findings:
    wide = _WIDE_SEMICOLON.search(line.text)
    if wide:
        yield line.between(wide.start(), wide.start() + 1, "WG102", ";")
    elif _NO_COMMENT.match(line.text) is None:
        # `changeBg:a.png // by the sea`: the comment becomes part of the name.
        remark = None if line.command.content in SHOWN else _REMARK.search(line.text)
        end = len(line.text.rstrip(BLANKS)) if remark is None else remark.start()
        is_in_value = remark is not None and "=" in line.text[:end].partition(SEPARATOR)[2]  # which may be a title
        yield line.between(end, end, "WG101", ";", is_safe=not is_in_value)


def _cut(line: Line) -> Findings:
    """Finds text that the author did not mean as a comment: arguments, or the rest of a style or an address."""
    statement, remark = line.statement, line.sentence.comment
    is_address = "://" in statement and re.fullmatch(r"\S*\.\w{2,4}", remark)
    is_style = statement.count("(") > statement.count(")") and "](" in statement
    is_argument = re.search(r"\s-(?:[A-Za-z]+)(?:=\S|;|$)", remark)
    is_rest = is_address or (is_style and ")" in remark) or is_argument
    at = line.text.find(";")
    if _begins_command(remark) or (not is_rest and _is_spoken(line)):
        yield line.between(at, len(line.text), "WG134", rest=remark)
    elif is_rest:
        yield line.between(at, at + 1, "WG304", "\\;", is_safe=False, rest=remark)


def _begins_command(remark: str) -> bool:
    match = _ANOTHER.match(remark)
    return match is not None and match["name"] in COMMANDS


def _is_spoken(line: Line) -> bool:
    """`A:yes;B:no;`: the comment has a speaker and a semicolon of its own."""
    return _SPOKEN.fullmatch(line.sentence.comment) is not None and line.text.rstrip(BLANKS).endswith(";")


def is_false_comment(line: Line) -> bool:
    return _comment_mark(line) is not None


def _comment_mark(line: Line) -> re.Match[str] | None:
    """A colon makes it a speaker, which is not a name. But #Tom may be one, and #topic; is an ordinary line."""
    match = _NO_COMMENT.match(line.text)
    if match is None or not match["mark"].startswith("#") or line.text[match.end() : match.end() + 1].isspace():
        return match
    return None if line.has_semicolon or (line.has_speaker and match["mark"] == "#") else match


def _false_comment(line: Line) -> Findings:
    if (match := _comment_mark(line)) is not None:
        yield line.between(*match.span("mark"), "WG119", ";", is_safe=False, mark=match["mark"])


def _colon(line: Line) -> Findings:
    spaced = _SPACED_WORD.match(line.statement)
    if spaced and spaced["name"] in COMMANDS and _is_command(spaced):
        yield line.between(*spaced.span("blank"), "WG109", ":", name=spaced["name"])
    wide = _WIDE_COLON.match(line.text)
    if wide and wide["name"] in COMMANDS:
        yield line.between(wide.start("name") and 0, wide.end(), "WG103", f"{wide['name']}:", name=wide["name"])
    elif wide and (name := _MIXED_BY_LOWER.get(wide["name"].lower())) is not None:
        yield line.between(0, wide.end(), "WG103", f"{name}:", is_safe=False, name=name)
    elif wide and not line.has_speaker and _may_be_person(wide["name"]):
        yield line.between(*wide.span("colon"), "WG303", ":", is_safe=False, name=wide["name"])


def _is_command(spaced: re.Match[str]) -> bool:
    """For `changeBg x:` the colon was a mistake; an ordinary word needs more evidence."""
    if _MIXED_CASE.search(spaced["name"]) or _SPACED_CONTENT.match(spaced.string):
        return True
    return spaced["name"] == "choose" and _OPTION.search(spaced["rest"]) is not None


def _may_be_person(name: str) -> bool:
    if len(name) > LONGEST_NAME or name in _NOT_PERSONS:
        return False
    return not (_SPEECH.search(name) or _HEADING.search(name) or _CLAUSE.match(name))
