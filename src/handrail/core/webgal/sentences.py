"""What the engine makes of each line of a scene. Never refuses: to the engine every text is a script."""

import re

import msgspec

from handrail.core.webgal.arguments import SEPARATOR, Argument, read_arguments
from handrail.core.webgal.commands import COMMANDS, SAY
from handrail.core.webgal.files import in_folder
from handrail.core.webgal.javascript import BLANKS
from handrail.core.webgal.options import resolved, scenes_of

COMMENT = "comment"
_SEMICOLON = re.compile(r"(?<!\\);")
_NEXT: Argument = ("next", True)
# Only these are fetched ahead; sound effects and what is unlocked are not.
_PREFETCHED = frozenset({"changeBg", "changeFigure", "miniAvatar", "video", "bgm"})


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """One line. `assets` are (address, folder); `command` is the parser's own name for the kind of statement."""

    command: str
    raw: str
    content: str
    args: tuple[Argument, ...] = ()
    assets: tuple[tuple[str, str], ...] = ()
    sub_scenes: tuple[str, ...] = ()
    comment: str = ""

    @property
    def speaker(self) -> str | None:
        """Who says it, where the line tells."""
        if self.command != SAY or not self.args or self.args[0][0] != "speaker":
            return None
        return str(self.args[0][1]).strip(BLANKS)

    def argument(self, name: str) -> object:
        """The first of that name counts."""
        return next((value for key, value in self.args if key == name), None)


def split_lines(text: str) -> list[str]:
    return text.replace("\r", "").split("\n")


def read_scene(text: str) -> list[Sentence]:
    return [read_line(line) for line in split_lines(text)]


def split_comment(line: str) -> tuple[str, str | None]:
    """The statement, escapes in it undone, and what follows its semicolon; None where there is no semicolon."""
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
            content = resolved(content)
        sub_scenes = scenes_of(content)
    elif command.folder is not None:
        if content:
            content = in_folder(command.folder, content)
            if command.type in _PREFETCHED:
                assets = ((content, command.folder),)
        if command.folder == "scene":
            sub_scenes = (content,)
    return Sentence(command.type, head.strip(BLANKS), content, tuple(args), assets, sub_scenes, remark)
