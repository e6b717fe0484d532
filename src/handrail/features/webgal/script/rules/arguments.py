"""Rules for arguments: unknown, repeated, joined, of the wrong kind, or really text."""

import re

from handrail.features.webgal.script.commands import COMMANDS, Argument, Command, Content, Kind
from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.line import Findings, Line
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR, number
from handrail.features.webgal.script.rules.contents import is_lost_option, json_fault, meant_number, repaired_json
from handrail.features.webgal.script.rules.effects import check_effect
from handrail.features.webgal.script.rules.heads import is_command_by_mistake
from handrail.features.webgal.script.rules.punctuation import SHOWN, is_false_comment
from handrail.features.webgal.script.similar_names import nearest

_OTHER_VOICE = re.compile(r".+\.(?:m4a|opus|flac|aac)", re.IGNORECASE)
_VOICE = re.compile(r".(?:ogg|mp3|wav)", re.IGNORECASE)
# Each run of blanks or dashes is tried only from its start: otherwise a long one would take minutes.
_RUN = r"(?<![ \t\u3000\u00a0])"
_OTHER_BLANK = re.compile(rf"{_RUN}(?P<blank>[ ]*+[\t\u3000\u00a0][\t\u3000\u00a0 ]*+)-(?P<name>[A-Za-z]+)(?=[=\s]|$)")
_DASHES = "－—–−‐﹣"
_OTHER_DASH = re.compile(
    rf"{_RUN}(?P<blank>[ \t\u3000]++|(?<![{_DASHES}]))(?P<dash>[{_DASHES}]++)(?P<name>[A-Za-z]++)(?=[=\s]|$)"
)
_NO_HYPHEN = re.compile(r"(?:\.[A-Za-z0-9]{2,5}|^\s*none)(?P<words>(?: +[A-Za-z]+)+)$")
_SPACED = re.compile(r"(?P<name>[A-Za-z]+)\s+(?P<value>\S.*)")
_NO_BLANK = re.compile(r"(?:\.[A-Za-z0-9]{2,5}|^\s*none)(?P<dash>-)(?P<name>[A-Za-z]+)$")
_LAST_VALUE = re.compile(r"(?:=\S++)?\s*+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
# Flags that no name ends with; `-left` may be part of one.
_STUCK = re.compile(r"(?<=.)-(?P<flag>next|notend|concat|continue|keep|parallel|writeDefault|global)$")
_APART = re.compile(r"(?<=\S) +(?P<flag>[A-Za-z0-9]+)$")
_NO_BLANKS = frozenset({"id", "figureId", "target"})
_SHORT = 3
# Often written on dialogue, where they have no effect.
_ANYWHERE = frozenset({"sayPlaceHolder", *(name for command in COMMANDS.values() for name in command.arguments)})
_BOOLEANS = ("true", "false")
_WITH_TEXT = frozenset({*SHOWN, Content.ASSIGNMENT})
_JSON = frozenset({Content.FRAMES, Content.TRANSFORM})


def check_arguments(line: Line) -> Findings:
    speaker = line.sentence.speaker
    if speaker is not None and line.has_speaker and is_command_by_mistake(speaker):
        return
    statement, command = line.statement, line.command
    body = statement.partition(":")[2] if ":" in statement else statement
    content, *pieces = body.split(SEPARATOR)
    yield from _separators(line, command, content, body)
    seen: set[str] = set()
    is_hidden = line.is_dialogue and is_false_comment(line)
    for piece in pieces:
        name, is_given, value = piece.partition("=")
        name, value = name.strip(BLANKS), value.strip(BLANKS)
        if not name or _VOICE.search(name):
            continue
        if name in seen:
            yield line.at(f"-{piece.rstrip(BLANKS)}", "WG305", name=name)
        seen.add(name)
        known = command.arguments.get(name)
        if known is None:
            for finding in () if command.takes_any else _unknown(line, command, piece, name, bool(is_given)):
                if finding.code != "WG309":
                    yield finding
                elif not is_hidden:
                    is_hidden = True  # one blank and hyphen hide everything after them
                    yield finding
        elif (corrected_value := _split_value(command, name, known, value)) is not None:
            shown, fix = piece.rstrip(BLANKS), f"-{name}={corrected_value}"
            yield line.at(f"-{shown}", "WG108", fix, is_safe=False, command=command.name, name=shown, near=fix)
        elif is_given and not value and name in _NO_BLANKS:
            yield line.at(f"-{piece.rstrip(BLANKS)}", "WG132", name=name)
        elif is_given:
            yield from _value(line, known, value)


def _separators(line: Line, command: Command, content: str, body: str) -> Findings:
    for match in _OTHER_BLANK.finditer(content):
        if match["name"] in command.arguments:
            start = line.text.find(match.group())
            is_safe = command.content not in SHOWN or _ends_with(content, match)
            yield line.between(start, start + len(match["blank"]), "WG120", " ", is_safe=is_safe, name=match["name"])
    if not line.is_dialogue:
        yield from _dashes(line, command, content, body)
    if command.content is not Content.FILE:
        return
    bare = content.rstrip(BLANKS)
    if (spaced := _NO_HYPHEN.search(bare)) and all(word in command.arguments for word in spaced["words"].split()):
        words = spaced["words"].split()
        fix = "".join(f" -{word}" for word in words)
        yield line.at(spaced["words"], "WG127", fix, is_safe=False, name=" ".join(words))
    glued = _NO_BLANK.search(bare)
    if glued and glued["name"] in command.arguments:
        at = line.text.find(glued.group()) + glued.start("dash") - glued.start()
        yield line.between(at, at + 1 + len(glued["name"]), "WG121", f" -{glued['name']}", name=glued["name"])


def _dashes(line: Line, command: Command, content: str, body: str) -> Findings:
    for match in _OTHER_DASH.finditer(body):
        is_glued = not match["blank"] and (command.content is not Content.FILE or match.start() > len(content))
        # `intro:Chapter one —next generation` is text that the player reads.
        is_read = command.content in SHOWN and match.start() < len(content) and not _ends_with(content, match)
        if match["name"] in command.arguments and not is_glued and not is_read:
            start = line.text.find(match.group())
            end = start + len(match["blank"]) + len(match["dash"])
            is_safe = command.content not in _WITH_TEXT and "=" not in body[len(content) : match.start()]
            yield line.between(start, end, "WG126", " -", is_safe=is_safe, mark=match["dash"], name=match["name"])


def _ends_with(content: str, match: re.Match[str]) -> bool:
    """Returns whether this argument is the end of the shown text."""
    return _LAST_VALUE.fullmatch(content, match.end()) is not None


def _unknown(line: Line, command: Command, piece: str, name: str, is_given: bool) -> Findings:
    shown = f"-{piece.rstrip(BLANKS)}"
    if is_lost_option(command, piece):
        yield line.at(shown, "WG110", f"—{shown[1:]}", is_safe=False, rest=shown)
        return
    if command.content is Content.ASSIGNMENT and not (_WORD.fullmatch(name) and _near(name, command)):
        if not is_given or not _WORD.fullmatch(name):
            yield line.at(shown, "WG110", rest=shown)
        return
    if command.content in _JSON and json_fault(line.content) is not None:
        return  # it is part of the JSON
    if line.is_dialogue and name in _ANYWHERE:
        return
    if _OTHER_VOICE.fullmatch(name) and line.is_dialogue:
        yield line.at(shown, "WG312", f"-vocal={name}", is_safe=False, name=name)
        return
    if (apart := _split_name(name, command)) is not None:
        yield line.at(f"-{name}", "WG108", apart, command=command.name, name=name, near=apart)
        return
    if (spaced := _SPACED.fullmatch(piece.strip(BLANKS))) and _takes_value(command, spaced["name"]):
        fix = f"-{spaced['name']}={spaced['value']}"
        yield line.at(shown, "WG108", fix, is_safe=False, command=command.name, name=name, near=fix)
        return
    near = _near(name.lstrip("-"), command) if _WORD.fullmatch(name.lstrip("-")) else []
    if near:
        fix = f"-{near[0]}"
        yield line.at(f"-{name}", "WG108", fix, is_safe=False, command=command.name, name=name, near=fix)
    elif line.is_dialogue:
        yield _hidden(line, shown)
    else:
        yield line.at(shown, "WG308", command=command.name, name=name)


def _hidden(line: Line, shown: str) -> Finding:
    """After Chinese text, `-10` keeps its minus without the blank; elsewhere a minus sign or a dash was meant."""
    start = max(line.text.rfind(shown), 1)
    is_number = shown[1:2].isdigit()
    if is_number and line.text[: start - 1].rstrip()[-1:].isascii():
        return line.at(shown, "WG309", f"−{shown[1:]}", is_safe=False, name=shown)
    if is_number:
        return line.between(start - 1, start + len(shown), "WG309", shown, is_safe=False, name=shown)
    return line.at(shown, "WG309", f"—{shown[1:]}", is_safe=False, name=shown)


def _split_name(name: str, command: Command) -> str | None:
    """Splits `-left-next` into its arguments, if all parts are arguments; likewise `--left` and `-left next`."""
    parts = re.split(r"[-\s]", name)
    if len(parts) > 1 and all(part in command.arguments for part in parts if part) and any(parts):
        return " ".join(f"-{part}" for part in parts if part)
    return None


def _near(name: str, command: Command) -> list[str]:
    """Arguments are few, so a similar one is a useful hint even for a short name."""
    return nearest(name, command.arguments, 1 if len(name) == _SHORT else None)


def _split_value(command: Command, name: str, known: Argument, value: str) -> str | None:
    """Splits a value that has the next argument attached: `-series=a-next`, or `-id=a left`."""
    is_one_word = name in _NO_BLANKS or known.kind is Kind.NUMBER
    match = _STUCK.search(value) or (_APART.search(value) if is_one_word else None)
    if match is None or match["flag"] not in command.arguments or known.kind is Kind.CONDITION:
        return None
    return f"{value[: match.start()]} -{match['flag']}"


def _takes_value(command: Command, name: str) -> bool:
    return name in command.arguments and command.arguments[name].kind is not Kind.FLAG


def _value(line: Line, known: Argument, value: str) -> Findings:
    if "{" in value and known.kind is not Kind.JSON:
        return  # only known at run time
    if known.kind is Kind.FLAG and value.lower() in _BOOLEANS and not value.islower():
        yield line.at(value, "WG302", value.lower(), value=value)
    elif known.kind is Kind.NUMBER and number(value) is None:
        yield line.at(value, "WG116", meant_number(value), is_safe=False, value=value)
    elif known.kind is Kind.JSON and (why := json_fault(value)) is not None:
        yield line.at(value, "WG111", repaired_json(value), is_safe=False, why=why)
    elif known.is_transform:
        yield from check_effect(line, value)
    elif known.kind is Kind.FLAG and value not in _BOOLEANS and (near := nearest(value, _BOOLEANS)):
        yield line.at(value, "WG314", near[0], is_safe=False, value=value, near=near[0])
    elif known.choices and value not in known.choices and value not in ("true", "false", ""):
        near = nearest(value, known.choices)
        fix = near[0] if near else None
        yield line.at(value, "WG314", fix, is_safe=False, value=value, near=", ".join(near or known.choices))
