"""The words of a request for a tool: what else they may be called, in English and Chinese, and typos."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[^\W\d_a-z]+|\d+")
"""Also the parts of a name such as `createIssue`."""
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_STOP_WORDS = """
a all an and are at be by can do does for from has have how i in into is it its let me my of on one or please s so some
something that the them then there these this those to up use want was were what when where which who will with you your
的 了 在 里 中 我 请 把 用 一个 所有
"""
"""Words that carry no information about a tool."""

_SAME = """
app application program software
article readability
allowed permission permitted limit policy
ask question confirm
attach upload
box checkbox
capture screenshot observe
check lint validate verify
checksum hash sha
choose choice pick select dropdown option
click tap press hit
clone copy cp duplicate
close quit shut
create make mkdir new
command execute run shell terminal
console javascript js log warning error
date modification modified mtime time
delete erase remove rm trash unlink
desktop native screen
doctor health diagnose why
drag slide
element clickable interactive
directory dir folder
document file
edit change modify patch update
fill login signin
find grep look rg search
finish complete completion done report
forward next
front focus activate
go navigate open visit goto load browse
hotkey shortcut keyboard key keys
http request network traffic api
https http www url link address page
image photo picture img png jpg screenshot
launch open run start
mark select highlight
move mv rename put
name path
page site web webpage website tab browser internet online google
paste clipboard
password secret credential values
person user human
pointer mouse cursor
print pdf
read cat get show view
refresh reload
previous back before
regex pattern regular expression
replace substitute swap
revert restore rollback undo snapshot
say text
scroll down bottom footer
size big large
snapshot backup earlier before history version
source html dom
tick check fill
type enter input write
"""
"""Each line: words for the same thing. A word may be in several lines."""

_IN_ENGLISH = """
上传 upload|下载 download|仓库 repository|修改 edit|关闭 close|内容 content|写 write|写入 write|分支 branch
切换 switch|列出 list|创建 create|删除 delete|刷新 reload|前进 forward|剪贴板 clipboard|历史 history|发送 send
取消 cancel|后退 back|启动 launch|命令 command|图像 picture|图片 picture|地址 address|场景 scene|填写 fill
声音 sound|复制 copy|多个 several|天气 weather|子 child|安装 install|完成 completion|密码 password
对话框 modal|导航 navigate|屏幕 screen|属性 info|应用 app|应用程序 app|弹窗 modal|快捷键 hotkey|快照 snapshot
恢复 restore|悬停 hover|截图 screenshot|截屏 screenshot|打印 print|打开 open|执行 execute|拖 drag|拖动 drag
拖拽 drag|按 press|按钮 click|按键 press key|排队 queue|控制台 console|提交 submit|提问 ask|插入 insert
搜索 search|撤销 restore|操作 action|数据库 database|文件 file|文件夹 folder|文字 text|文本 text|文章 article
新建 create|日历 calendar|显示 show|替换 replace|服务器 server|查找 find|查看 view|查询 query|标签 tab
标签页 tab|桌面 desktop|检查 check|正文 article|浏览器 browser|消息 message|添加 add|游戏 game|滚动 scroll
点击 click|版本 version|用户 person|目录 folder|移动 move|窗口 window|等待 wait|管理 manage|编辑 edit
网站 page|网络 network|网页 page|脚本 script|菜单 menu|表单 form|表格 table|角色 character|访问 navigate
识别 ocr|询问 ask|请求 request|读 read|读取 read|调用 call|资源 resource|路径 path|跳转 navigate|输入 type
运行 run|返回 back|连接 connect|选择 select|选项 option|邮件 mail|重命名 rename|链接 link|错误 error
键盘 keyboard|问题 question|页面 page|预览 preview|高亮 highlight|鼠标 mouse
"""


def _groups() -> dict[str, frozenset[str]]:
    same: dict[str, frozenset[str]] = {}
    for line in _SAME.strip().splitlines():
        stems = frozenset(map(stem, line.split()))
        for each in stems:
            same[each] = same.get(each, frozenset()) | stems
    return same


@lru_cache(maxsize=10_000)
def stems_of(text: str) -> frozenset[str]:
    """The words of a name or a description, without their endings."""
    return frozenset(stem(word.casefold()) for word in _WORD.findall(text))


def request_words(query: str) -> list[str]:
    """The words of a request that say something, each once; Chinese ones in English, if they are known."""
    words: dict[str, None] = {}
    for word in _WORD.findall(query):
        words |= dict.fromkeys(_translated(word) if _CHINESE.search(word) else [word.casefold()])
    return [word for word in words if word not in _stop_words] or list(words)


def _translated(text: str) -> Iterator[str]:
    """Splits a Chinese text into known words, the longest first, and what is between them."""
    for word in _CHINESE_WORD.findall(text):
        yield from _english.get(word, word).split()


def stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def synonyms(stem_of_word: str) -> frozenset[str]:
    return _same.get(stem_of_word, frozenset())


@lru_cache(maxsize=4)
def spelling(known: frozenset[str]) -> "Spelling":
    return Spelling(known)


class Spelling:
    """Finds the known words that differ from a word in one letter: missing, added, another one, or swapped."""

    def __init__(self, known: Iterable[str]) -> None:
        self._shortened: dict[str, set[str]] = {}
        for word in known:
            if len(word) > _SHORTEST_STEM:
                for each in _shortened(word):
                    self._shortened.setdefault(each, set()).add(word)

    def corrections(self, word: str) -> set[str]:
        if len(word) <= _SHORTEST_STEM:
            return set()
        return {known for each in _shortened(word) for known in self._shortened.get(each, ())}


def _shortened(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


_stop_words = frozenset(_STOP_WORDS.split())
_same = _groups()
KNOWN_WORDS = frozenset(_same)
"""Words, without their endings, that have others for the same thing."""
_english = dict(entry.split(" ", 1) for line in _IN_ENGLISH.strip().splitlines() for entry in line.split("|"))
_CHINESE_WORD = re.compile("|".join(sorted(_english, key=len, reverse=True)) + r"|[\u3400-\u9fff]")
