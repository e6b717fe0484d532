"""Rules for the text before the colon: a command, a speaker, or a mistyped command that is read as a speaker."""

import re
from functools import lru_cache

from handrail.features.webgal.script.commands import COMMANDS, LATER, Command, Content
from handrail.features.webgal.script.line import Findings, Line
from handrail.features.webgal.script.parser import BLANKS, number
from handrail.features.webgal.script.similar_names import distance, max_distance, nearest, normalize

# Names of commands in other tools and older engines, and their current names.
OTHER_NAMES = {
    "playBgm": "bgm",
    "playVocal": "playEffect",
    "video": "playVideo",
    "pixi": "pixiPerform",
    "comment": "",
    "setBgAni": "setAnimation",
    "setFigAni": "setAnimation",
    "setBgFilter": "setTransform",
    "setBgTransform": "setTransform",
}
_OTHER_CONTENT = frozenset({"setBgAni", "setFigAni", "setBgFilter", "setBgTransform"})
"""Commands whose content must change as well."""
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_INNER_CAPITAL = re.compile(r"[a-z][A-Za-z0-9]*[A-Z]")
_ARGUMENT = re.compile(r" -[A-Za-z]+(?:=|$)| -\S")
_IF = re.compile(r"\s*+(?P<if>if)\s*+\((?P<condition>.*)\)")
_COMPARISON = re.compile(r"[=!]=|[<>]")
_FILE = re.compile(r"\.[A-Za-z0-9]{2,5}$")
_MINUTES = re.compile(r"[0-5]\d(?!\d)")
_BARE = frozenset({Content.TEXT, Content.OPTIONAL})
_SHORTEST_WORD = 3
_FOLDED = {normalize(name): name for name in COMMANDS}
BARE = {normalize(name): name for name, each in COMMANDS.items() if each.content is Content.OPTIONAL and each.is_run}
"""Commands without a colon: `end;`."""
_OTHER = {normalize(name): meant for name, meant in OTHER_NAMES.items()}


def check_head(line: Line) -> Findings:
    if line.is_dialogue:
        if line.has_speaker:
            yield from _speaker(line, str(line.sentence.args[0][1]))
        elif (block := _IF.match(line.text)) is not None and _COMPARISON.search(block["condition"]):
            yield line.between(*block.span("if"), "WG106", name="if")
        else:
            yield from _bare_command(line)
        return
    command = line.command
    if not command.is_run:
        yield line.at(command.name, "WG106", name=command.name)
    elif command.content not in _BARE and ":" not in line.statement:
        end = len(line.statement.rstrip(BLANKS))
        yield line.between(0, end, "WG113", command=command.name)


def _bare_command(line: Line) -> Findings:
    """`end ;`, ` end;` and `End;` are shown as dialogue."""
    statement = line.statement
    name = statement.strip(BLANKS)
    if name == statement and name in COMMANDS:
        return
    command = BARE.get(normalize(name)) if " " not in name else None
    if command == name:
        yield line.between(0, len(statement), "WG104", name, name=name)
    elif command is not None:
        yield line.between(
            0, len(statement), "WG105", command, is_safe=not is_plain_word(name), name=name, near=command
        )


def _speaker(line: Line, head: str) -> Findings:
    name = head.strip(BLANKS)
    if head.startswith("\ufeff"):
        return  # checked for the whole file
    if name in COMMANDS:
        yield line.between(0, len(head), "WG104", name, name=name)
    elif (command := _FOLDED.get(normalize(name))) is not None:
        # `Label:hello` may be said by a person with that name; the whole project shows how often.
        if not is_plain_word(name) or _fits(COMMANDS[command], line.content):
            yield line.between(0, len(head), "WG105", command, is_safe=not is_plain_word(name), name=name, near=command)
    elif _is_other(name):
        command = _OTHER[normalize(name)]
        fix = command if name not in _OTHER_CONTENT else None
        yield line.between(0, len(head), "WG105", fix or None, is_safe=False, name=name, near=command)
    elif is_number(name) and _MINUTES.match(line.content):
        yield line.between(0, len(head), "WG306", f":{head}", is_safe=False, name=name)
    elif _ARGUMENT.search(head):
        yield line.between(0, len(head), "WG313", name=head)


def is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def is_suspect(name: str) -> bool:
    """Returns whether a speaker with this name must have several lines to be believed."""
    return is_plain_word(name) or (name.isascii() and (name.isdigit() or guess(name) is not None))


def is_plain_word(name: str) -> bool:
    """A command in another case that is also an ordinary word, unlike `ChangeBg`: End, Label, BGM."""
    command = _FOLDED.get(normalize(name))
    return command is not None and name not in COMMANDS and command.islower()


def _fits(command: Command, content: str) -> bool:
    """Returns whether this is unlikely to be dialogue and valid for the command."""
    if command.content is Content.FILE:
        return content in ("", "none") or _FILE.search(content) is not None
    if command.content is Content.MILLISECONDS:
        return number(content) is not None
    return command.content is Content.CHOICE and "|" in content and ":" in content


def is_command_by_mistake(name: str) -> bool:
    """Returns whether only blanks, case or an old name keep it from being a command, with its arguments."""
    return normalize(name) in _FOLDED or _is_other(name)


def _is_other(name: str) -> bool:
    """In any case if the name has an inner capital: `video` may also be a person."""
    return name in OTHER_NAMES or (normalize(name) in _OTHER and _INNER_CAPITAL.match(name) is not None)


@lru_cache(maxsize=4096)
def guess(name: str) -> list[str] | None:
    """Returns the commands that a speaker's name may be a misspelling of; None for an ordinary name."""
    if is_plain_word(name):
        return [_FOLDED[normalize(name)]]
    if not _IDENTIFIER.fullmatch(name) or name in LATER or _is_other(name) or normalize(name) in _FOLDED:
        return None
    near = nearest(name, COMMANDS)
    if near or _INNER_CAPITAL.match(name):
        return near
    return [] if name.islower() and len(name) >= _SHORTEST_WORD else None


def is_surely_no_name(name: str) -> bool:
    """Returns whether no person has this name, however often it speaks."""
    return _INNER_CAPITAL.match(name) is not None or any(
        distance(normalize(name), plain, max_distance(plain)) <= 1 and len(plain) > 6 for plain in _FOLDED
    )
