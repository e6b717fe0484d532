"""Where the files that a statement names lie, as the engine resolves them."""

import re

GAME = "./game"
FOLDERS = ("background", "figure", "bgm", "vocal", "video")
"""In which authors keep what scenes name."""


# What Terre's editor writes until somebody picks a file, in the author's language.
_PLACEHOLDER = re.compile(
    r"选择.{0,6}(?:文件|图片|立绘|背景|音乐|音频|视频|语音|头像)"
    r"|(?:Choose|Select) (?:\w+ ){0,3}(?:file|image|figure|background|music|BGM|audio|video|scene|animation|avatar)"
    r"|\w{1,12}を選択|[\w ]{1,12} 선택",
    re.IGNORECASE,
)


def is_placeholder(name: str) -> bool:
    return _PLACEHOLDER.fullmatch(name) is not None


def is_address(name: str) -> bool:
    """What stands elsewhere in the net is left as it is."""
    return "http://" in name or "https://" in name


def in_folder(folder: str, name: str) -> str:
    return name if is_address(name) else f"{GAME}/{folder}/{name}"
