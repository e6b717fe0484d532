"""Reads a scene's text as the engine's own parser does. It never fails: for the engine every text is a script."""

import math
import re
from collections.abc import Callable

import msgspec

from handrail.features.webgal.script.commands import COMMANDS, SAY

BLANKS = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript's `trim()` removes. Python's `strip` lacks the BOM and removes four more control characters."""

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SAFE_INTEGER = 1 << 53
_BASES = {"0x": (16, re.compile(r"[0-9a-fA-F]+")), "0o": (8, re.compile(r"[0-7]+")), "0b": (2, re.compile(r"[01]+"))}
_INFINITE = {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def number(text: str) -> int | float | None:
    """Returns `Number(text)`, or None if that is NaN. Whole numbers are ints."""
    text = text.strip(BLANKS)
    if not text:
        return 0
    if _DECIMAL.fullmatch(text):
        return _whole(float(text))
    if text in _INFINITE:
        return _INFINITE[text]
    base = _BASES.get(text[:2].lower())
    if base is None or not base[1].fullmatch(text, 2):
        return None
    try:
        return _whole(float(int(text[2:], base[0])))
    except OverflowError:
        return math.inf


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) <= _SAFE_INTEGER else value


GAME_ADDRESS = "./game"
FOLDERS = ("background", "figure", "bgm", "vocal", "video")
"""The folders of files that scenes use."""


# What Terre's editor writes until the author picks a file, in the author's language.
_PLACEHOLDER = re.compile(
    r"选择.{0,6}(?:文件|图片|立绘|背景|音乐|音频|视频|语音|头像)"
    r"|(?:Choose|Select) (?:\w+ ){0,3}(?:file|image|figure|background|music|BGM|audio|video|scene|animation|avatar)"
    r"|\w{1,12}を選択|[\w ]{1,12} 선택",
    re.IGNORECASE,
)


def is_placeholder(name: str) -> bool:
    return _PLACEHOLDER.fullmatch(name) is not None


def is_address(name: str) -> bool:
    """Addresses on other hosts stay as they are."""
    return "http://" in name or "https://" in name


def file_address(folder: str, name: str) -> str:
    return name if is_address(name) else f"{GAME_ADDRESS}/{folder}/{name}"


Value = str | bool | int | float
Argument = tuple[str, Value]

SEPARATOR = " -"
# Any character before the extension, not only a dot: `-myogg` is also a voice.
_VOICE = re.compile("[^\n\r\u2028\u2029](?:ogg|mp3|wav)", re.IGNORECASE | re.ASCII)


def voice_address(name: str) -> str:
    return file_address("vocal", name)


def is_voice(name: str) -> bool:
    """Returns whether an argument without a value is a voice file."""
    return _VOICE.search(name) is not None


def read_arguments(text: str, resolve: Callable[[str], str] = voice_address) -> list[Argument]:
    """Reads a text that starts with the first separator; `resolve` maps a voice file."""
    return [_argument(piece, resolve) for piece in text.split(SEPARATOR) if piece]


def _argument(piece: str, resolve: Callable[[str], str]) -> Argument:
    name, is_given, value = piece.partition("=")
    name = name.strip(BLANKS)
    if is_voice(name):
        return "vocal", resolve(piece)
    return (name, read_value(value.strip(BLANKS))) if is_given else (name, True)


def read_value(text: str) -> Value:
    if text == "true" or text == "false":
        return text == "true"
    # A word isn't a number, and most values are words.
    if text[:1].isalpha() and text[0] != "I":
        return text
    value = number(text)
    return text if value is None else value


BAR = re.compile(r"(?<!\\)\|")
COLON = re.compile(r"(?<!\\):")
# The first condition ends where the second one or the arrow follows; `(f(a)[0]>1)->` only where the arrow does.
_FIRST = r"\((?P<show>(?:(?!\)->|\)\[).)*+|(?:(?!\)->).)*+)\)"
_SECOND = r"\[(?P<enable>(?:(?!\]->).)*+)\]"
CONDITIONS = re.compile(rf"\s*+(?:{_FIRST})?(?:{_SECOND})?->")
"""The conditions before an option's text."""


def read_option(option: str) -> tuple[str, str]:
    """Returns text and target; what follows a third colon is lost."""
    fields = COLON.split(option, maxsplit=2)
    return fields[0], fields[1] if len(fields) > 1 else ""


def conditions_of(text: str) -> list[str]:
    """Returns the conditions before an option's text."""
    match = CONDITIONS.match(text)
    return [condition for condition in match.groups() if condition] if match else []


def is_scene(target: str) -> bool:
    """Anything with a dot is a file, anything else a label of the same scene."""
    return "." in target


def resolve_choice(content: str) -> str:
    """Writes out the paths of the choice's scenes."""
    pairs = map(read_option, BAR.split(content))
    return "|".join(f"{text}:{file_address('scene', target) if is_scene(target) else target}" for text, target in pairs)


def scenes_of_choice(content: str) -> tuple[str, ...]:
    """Reads a resolved choice. Escapes don't count here, as in the engine's parser."""
    targets = (fields[1] for fields in (option.split(":", 2) for option in content.split("|")) if len(fields) > 1)
    return tuple(target for target in targets if is_scene(target))


COMMENT = "comment"
_SEMICOLON = re.compile(r"(?<!\\);")
_NEXT: Argument = ("next", True)
# Only these are preloaded; sound effects and unlocked files are not.
_PREFETCHED = frozenset({"changeBg", "changeFigure", "miniAvatar", "video", "bgm"})


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """One line. `assets` are (address, folder); `command` is the parser's name for the kind of statement."""

    command: str
    raw: str
    content: str
    args: tuple[Argument, ...] = ()
    assets: tuple[tuple[str, str], ...] = ()
    sub_scenes: tuple[str, ...] = ()
    comment: str = ""

    @property
    def speaker(self) -> str | None:
        """Who says it, if the line names a speaker."""
        if self.command != SAY or not self.args or self.args[0][0] != "speaker":
            return None
        return str(self.args[0][1]).strip(BLANKS)

    def argument(self, name: str) -> object:
        """Returns the first argument with that name."""
        return next((value for key, value in self.args if key == name), None)


def split_lines(text: str) -> list[str]:
    return text.replace("\r", "").split("\n")


def read_scene(text: str) -> list[Sentence]:
    return [read_line(line) for line in split_lines(text)]


def split_comment(line: str) -> tuple[str, str | None]:
    """Returns the unescaped statement and the text after its semicolon, or None if there is no semicolon."""
    if "\\" not in line:
        statement, mark, rest = line.partition(";")
        return statement, rest.partition(";")[0] if mark else None
    pieces = _SEMICOLON.split(line, maxsplit=2)
    return pieces[0].replace("\\;", ";"), pieces[1] if len(pieces) > 1 else None


def read_line(line: str) -> Sentence:
    statement, remark = split_comment(line)
    remark = remark.strip(BLANKS) if remark else ""
    if not statement.strip(BLANKS):
        return Sentence(COMMENT, COMMENT, remark, (_NEXT,))
    head, colon, body = statement.partition(":")
    command = COMMANDS.get(head)
    args: list[Argument] = []
    if command is None:
        if colon:
            args.append(("speaker", head))
    elif command.goes_on:
        args.append(_NEXT)
    if not colon:
        body = statement
    at = body.find(SEPARATOR)
    if at >= 0:
        args += read_arguments(body[at:])
        body = body[:at]
    content = body.strip(BLANKS)
    if content == "none":
        content = ""
    if command is None or command.type == SAY:
        voices = tuple([(value, "vocal") for key, value in args if key == "vocal"]) if at >= 0 else ()
        return Sentence(SAY, head.strip(BLANKS), content, tuple(args), voices, (), remark)  # type: ignore[arg-type]
    assets: tuple[tuple[str, str], ...] = ()
    sub_scenes: tuple[str, ...] = ()
    if command.type == "choose":
        if content:
            content = resolve_choice(content)
        sub_scenes = scenes_of_choice(content)
    elif command.folder is not None:
        if content:
            content = file_address(command.folder, content)
            if command.type in _PREFETCHED:
                assets = ((content, command.folder),)
        if command.folder == "scene":
            sub_scenes = (content,)
    return Sentence(command.type, head.strip(BLANKS), content, tuple(args), assets, sub_scenes, remark)
