"""The building blocks of the page: texts in English and Chinese, inert Markdown, and files of the evidence."""

import base64
import re
from collections.abc import Iterator
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from handrail.features.history.story import ShownFile
from handrail.kernel.visible import visible

TEXTS = {
    "all": ("All at once", "全部展开"),
    "answer": ("Answer", "答复"),
    "by": ("by", "由"),
    "caller": ("Called by", "调用者"),
    "changed": ("changed since it was recorded, so it is not shown", "记录之后被改动，因此不显示"),
    "chain": ("records in the whole audit, unbroken when this page was made", "条审计记录，生成本页时完整无损"),
    "checking": ("Checking every file and record…", "正在核对每个文件与记录……"),
    "damage": ("The audit was not as it was written when this page was made", "生成本页时审计记录已被改动"),
    "decision": ("Policy", "策略"),
    "denied": ("denied", "被拒绝"),
    "done": ("done", "完成"),
    "effect": ("Effect", "作用"),
    "error": ("Error", "错误"),
    "every_task": ("every call in this project", "本项目的全部调用"),
    "failed": ("failed", "失败"),
    "file": ("A file of", "一个文件，大小"),
    "given": ("Arguments", "智能体给出的参数"),
    "heard": ("Result", "智能体得到的答复"),
    "interrupted": ("interrupted", "中断"),
    "lacking": (
        "files were gone, or had been changed, when this page was made; all others and the records are as recorded.",
        "个文件在生成本页时已不存在或被改动；其余文件与记录均与记录时一致。",
    ),
    "large": ("too large for this page", "过大，未放入本页"),
    "made": ("Made", "生成于"),
    "missing": ("no longer there", "已不存在"),
    "next": ("Next step", "下一步"),
    "play": ("Play", "播放"),
    "previous": ("Previous step", "上一步"),
    "project": ("Project", "项目"),
    "reached": ("Led to", "途经"),
    "record": ("Audit record", "审计记录原文"),
    "said_assistant": ("Agent", "智能体"),
    "said_system": ("Note", "说明"),
    "said_user": ("Person", "用户"),
    "target": ("Target", "对象"),
    "task": ("Task", "任务"),
    "took": ("Took", "耗时"),
    "unable": ("This browser can't check hashes here.", "此浏览器无法在此核对哈希。"),
    "unanswered": ("no answer", "无人答复"),
    "undoes": ("Undoes", "撤销"),
    "unknown": ("outcome unknown", "结果未知"),
    "verified": ("files and records are as they were recorded.", "个文件与记录均与记录时一致。"),
    "words": (
        "Messages are shown as stored in the chat; only what was done is sealed in the audit.",
        "对话内容按聊天记录显示；审计封存的是所做的操作。",
    ),
    "wrong": ("were changed after they were recorded!", "个在记录之后被改动！"),
}


def both(key: str) -> str:
    """Returns the text in both languages, one of which is visible."""
    english, chinese = TEXTS[key]
    return f'<span lang="en">{escape(english)}</span><span lang="zh">{escape(chinese)}</span>'


_DISABLED_RULES = ("link", "image", "autolink", "reference", "html_inline", "html_block")

_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=\s)", re.MULTILINE)

_MAX_MARKDOWN = 20_000
"""Deeply nested lists take long to parse, so texts longer than people write are shown as plain text."""


def as_markdown(text: str) -> str:
    if len(text) > _MAX_MARKDOWN:
        return f"<pre>{escape(visible(text), quote=False)}</pre>"
    boxes = _BOX.sub(lambda box: f"{box[1]}{'☐' if box[2] == ' ' else '☑'}", visible(text))
    return str(_parser().render(boxes))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_DISABLED_RULES)


_PICTURES = {".png": "image/png", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".webp": "image/webp"}
_HEADER_LINES = 2
"""The lines of a diff that name its file."""
_OPEN_FILES = frozenset({"diff.patch"})
"""Shown without a click, because they show what was about to happen."""


def file_html(file: ShownFile) -> str:
    name = escape(file.name)
    if file.data is None:
        lack = file.lack or "missing"
        return f'<p class="lack {lack}"><code>{name}</code>: {both(lack)}<br><small>{file.sha256}</small></p>'
    ending = file.name[file.name.rfind(".") :]
    if ending in _PICTURES:
        source = f"data:{_PICTURES[ending]};base64,{base64.b64encode(file.data).decode()}"
        return f'<figure><img src="{source}" alt="{name}" {_hash(file)}><figcaption>{name}</figcaption></figure>'
    is_open = " open" if file.name in _OPEN_FILES else ""
    return f"<details{is_open}><summary>{name}</summary>{_text_html(file, file.data)}</details>"


def _text_html(file: ShownFile, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"<p>{both('file')} {len(data):,} B</p>{_bytes_html(file, data)}"
    escaped_text = visible(text)
    lines = "".join(_diff_lines(escaped_text)) if file.name.endswith(".patch") else escape(escaped_text, quote=False)
    if escaped_text != text:
        return f'<pre class="spelled">\n{lines}</pre>{_bytes_html(file, data)}'
    return f"<pre {_hash(file)}>\n{lines}</pre>"  # a browser drops the first line feed in a `pre`


def _diff_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(keepends=True)):
        kind = "hunk" if number < _HEADER_LINES else {"+": "add", "-": "del", "@": "hunk"}.get(line[0])
        escaped = escape(line, quote=False)
        yield f'<span class="{kind}">{escaped}</span>' if kind else escaped


def _bytes_html(file: ShownFile, data: bytes) -> str:
    return f'<script type="text/plain" {_hash(file)}>{base64.b64encode(data).decode()}</script>'


def _hash(file: ShownFile) -> str:
    return f'data-name="{escape(file.name)}" data-sha256="{escape(file.sha256)}"'
