"""Fast paths for the most common kinds of lines, used only if the result is certain."""

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

import msgspec

from handrail.features.webgal.script.commands import COMMANDS, SAY, Argument, Command, Content, Kind
from handrail.features.webgal.script.conditions import interpolated
from handrail.features.webgal.script.findings import Edit, Finding
from handrail.features.webgal.script.line import NAMING, LineReport, Reference, ReferenceKind
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR
from handrail.features.webgal.script.rules.heads import BARE, is_number, is_plain_word
from handrail.features.webgal.script.similar_names import normalize

# Wide letters belong to a command that was typed in the wrong width.
_START = r"[^\x00-\x7f；：Ａ-Ｚａ-ｚ\s\ufeff]"
# A hyphen after a blank starts an argument, or was meant to. `*+` never backtracks, so a mark ends the attempt at once.
_HYPHEN = r"(?<![ \t\u3000\u00a0])-"
_REST = rf"[^:：;{{\\\n-]*+(?:{_HYPHEN}[^:：;{{\\\n-]*+)*+"
_NO_COMMAND = rf"(?!(?:{'|'.join(COMMANDS)})(?![A-Za-z])|(?i:{'|'.join(BARE.values())})[\s\ufeff]*+;)"
_HEAD = rf"(?:{_START}|{_NO_COMMAND}[A-Za-z]){_REST}"
_TEXT = rf"[^;{{\\\n-]*+(?:{_HYPHEN}[^;{{\\\n-]*+)*+"
_BLANK = r"[\s\ufeff]*+"
_NONE = rf"{_BLANK}none{_BLANK}(?:[;-]|$)"
_ALONE = rf"(?:{_START}|{_NO_COMMAND}(?!{_NONE})[A-Za-z0-9\"'(.]){_REST}"
# The blank before an argument may belong to the text. Each argument may occur once, in this order.
_VOICE = r"(?:-([^\s=:;{\\%#-][^\s=:;{\\]*\.(?i:ogg|mp3|wav)))?"
_COMMON = ("notend", "fontSize=(?:default|small|medium|large)", "(?:left|right|center)", "next")
_FLAGS = "".join(rf"(?: ?(?<= )-{argument})?+" for argument in _COMMON)
_ARGUMENTS = rf"(?:(?=-)(?<= ){_VOICE}{_FLAGS})?"
# One match per line: with a speaker, without one, a comment, nothing, or something else.
_LINE = re.compile(
    rf"^(?:(?:((?:{_HEAD})?+:)(?!{_NONE})({_TEXT})|({_ALONE})){_ARGUMENTS};[ \t]*+$|;.*+$|$|(.+)$)", re.MULTILINE
)


class ScannedLines(msgspec.Struct, frozen=True):
    """The lines to check, with their numbers; for the others, counts per speaker, and (line, column, voice)."""

    remarkable: list[tuple[int, str]]
    speakers: Counter[str]
    voices: list[tuple[int, int, str]]


def scan_lines(text: str, is_plain: Callable[[str], bool]) -> ScannedLines:
    """`is_plain` decides about the text before a colon."""
    lines = _LINE.findall(text)
    heads = Counter(map(_FIRST, lines))
    heads.pop("", None)
    odd = {head for head in heads if head[0].isascii() and head != ":" and not is_plain(head[:-1])}
    if odd:
        whole = text.split("\n")
        remarkable = [
            (number, parts[4] or whole[number - 1])
            for number, parts in enumerate(lines, start=1)
            if parts[4] or parts[0] in odd
        ]
    else:
        remarkable = [(number, parts[4]) for number, parts in enumerate(lines, start=1) if parts[4]]
    voices = [
        (number, len(parts[0]) + len(parts[1] or parts[2]) + 1, parts[3])
        for number, parts in enumerate(lines, start=1)
        if parts[3] and parts[0] not in odd
    ]
    speakers: Counter[str] = Counter()
    for head, count in heads.items():
        if head not in odd:
            name = head[:-1].rstrip(BLANKS)
            speakers[name] = speakers.get(name, 0) + count
    return ScannedLines(remarkable, speakers, voices)


_FIRST = itemgetter(0)
CheckLine = Callable[[str], LineReport]
Named = tuple[ReferenceKind, str, str]

_ODD_BLANK = re.compile("[\t\u3000\u00a0]-")
_ODD_DASH = re.compile("[－—–−‐﹣][A-Za-z]")
_ODD_START = re.compile(r"[\s#/<\ufeff]")
_LETTERS = re.compile(r"[A-Za-z]+")
_VOICE_ARGUMENT = re.compile(r"[^\s=:{%#\\][^\s=:{]*\.(?:ogg|mp3|wav) *", re.IGNORECASE)
_FILE = re.compile(r"[^\x00-\x20%#{;:]+(?: [^\x00-\x20%#{;:-][^\x00-\x20%#{;:]*)*")
# What may be an argument behind a file's name.
_GLUED = re.compile(r"(?:\.[A-Za-z0-9]{2,5}|^none)[- －—–−‐﹣]|[ \u3000][－—–−‐﹣]")
# Plain text, or a sum of names and numbers, or random numbers between two numbers.
_ASSIGNED = re.compile(
    r"([^\s={+*/－＝-]+) *=(?:[^-+*/<>&|={()\[\]'\"]*|[A-Za-z_$][\w.$]*[-+*/]\d+|random\(\d+,\d+\))", re.ASCII
)
_NAMED_BY_CONTENT: dict[Content, ReferenceKind] = {Content.FILE: "file", Content.SCENE: "scene", Content.JUMP: "label"}
_NO_REFERENCES: list[Reference] = []
_PLAIN_CONTENTS = {"filmMode": ("", "none", "enable"), "setTextbox": ("", "none", "hide", "show", "on")}
"""Contents that need no rule, for commands with other ones."""
_KNOWN = frozenset({*_NAMED_BY_CONTENT, Content.LABEL, Content.ASSIGNMENT, Content.OPTIONAL})


class Shortcuts:
    """`check_line` is the full check, which decides about every new piece."""

    def __init__(self, judge: CheckLine) -> None:
        self._judge = judge
        self._head = lru_cache(maxsize=4096)(self._judged_head)
        self._argument = lru_cache(maxsize=8192)(self._judged_argument)

    def clear(self) -> None:
        self._head.cache_clear()
        self._argument.cache_clear()

    def is_plain(self, head: str) -> bool:
        """Returns whether the text before a colon is an ordinary speaker."""
        result = self._head(head)
        return result is not None and result[0] is None and not result[2]

    def report(self, text: str) -> LineReport | None:
        """Returns None if the line needs the full check."""
        statement, mark, remark = text.partition(";")
        if "\\" in statement or (remark and not _is_harmless(remark)) or (not mark and _needs_full_check(text)):
            return None
        head, colon, body = statement.partition(":")
        speaker: str | None = None
        command: Command | None = None
        is_suspect = False
        if colon:
            known = self._head(head)
            if known is None:
                return None
            command, speaker, is_suspect = known
        elif not statement or not _is_ordinary_start(statement):
            return None
        else:
            body = statement
        content, *pieces = body.split(SEPARATOR)
        if _ODD_BLANK.search(content) or (command is not None and _ODD_DASH.search(body)):
            return None
        at = len(head) + 1 if colon else 0
        argument_references = (
            self._named(text, SAY if command is None else command.name, at, pieces) if pieces else _NO_REFERENCES
        )
        if argument_references is None:
            return None
        findings = () if mark else (_missing_semicolon(text),)
        content = content.strip(BLANKS)
        if command is not None:
            return _command_report(text, command, content, tuple(argument_references), findings)
        if content == "none":
            return None
        variables = [Reference("variable", name, 0, text.find(name, at), SAY) for name in interpolated(content)]
        speaker_variables = [
            Reference("variable", name, 0, text.find(name), SAY) for name in interpolated(head if colon else "")
        ]
        return LineReport(
            findings, (*speaker_variables, *variables, *argument_references), speaker=speaker, is_suspect=is_suspect
        )

    def _named(self, text: str, command: str, at: int, pieces: list[str]) -> list[Reference] | None:
        """Returns the names in the arguments; None if one of them is unusual or repeated."""
        references: list[Reference] = []
        at = text.find(SEPARATOR, at)
        seen = set()
        for piece in pieces:
            if command == SAY and _VOICE_ARGUMENT.fullmatch(piece):
                name = piece.rstrip(" ")
                references.append(Reference("file", name, 0, text.find(name, at), SAY, "vocal"))
                continue
            known = self._argument(command, piece)
            if known is None or known[0] in seen:
                return None
            seen.add(known[0])
            for what, name, folder in known[1]:
                references.append(Reference(what, name, 0, text.find(name, at), command, folder))
        return references

    def _judged_head(self, head: str) -> tuple[Command | None, str | None, bool] | None:
        command = COMMANDS.get(head)
        if command is not None:
            is_known = command.content in _KNOWN and command.is_run and not command.takes_any
            return (command, None, False) if is_known else None
        name = head.strip(BLANKS)
        if head.startswith("\ufeff") or is_number(name) or is_plain_word(name) or not _is_ordinary_start(head):
            return None  # needs the whole file, or the whole line
        report = self._judge(f"{head}:x;")
        return None if report.findings else (None, report.speaker, report.is_suspect)

    def _judged_argument(self, command: str, piece: str) -> tuple[str, tuple[Named, ...]] | None:
        name, _, value = piece.partition("=")
        name, value = name.strip(BLANKS), value.strip(BLANKS)
        known = COMMANDS[command].arguments.get(name)
        if known is not None and name not in NAMING and _is_always_valid(known, value):
            return name, ()
        content = "x=1" if COMMANDS[command].content is Content.ASSIGNMENT else "x"
        start = len(command) + len(content) + 1
        report = self._judge(f"{command}:{content}{SEPARATOR}{piece};")
        if report.findings or report.dynamic:
            return None
        named = tuple((each.kind, each.name, each.folder) for each in report.references if each.start >= start)
        return name, named


def _command_report(
    text: str, command: Command, content: str, named: tuple[Reference, ...], findings: tuple[Finding, ...]
) -> LineReport | None:
    kind, by = command.content, command.name
    if kind is Content.LABEL:
        is_plain = content not in ("", "none") and "{" not in content
        return LineReport(findings, named, label=content) if is_plain else None
    if kind is Content.ASSIGNMENT:
        assigned = _ASSIGNED.fullmatch(content)
        return LineReport(findings, named, (assigned[1],)) if assigned is not None else None
    leaves = by == "changeScene"
    if content in ("", "none") or kind is Content.OPTIONAL:
        is_plain = "{" not in content and content in _PLAIN_CONTENTS.get(by, (content,))
        return LineReport(findings, named, leaves=leaves) if is_plain else None
    if not _FILE.fullmatch(content) or _GLUED.search(content):
        return None
    at = text.find(content, len(by) + 1)
    own = Reference(_NAMED_BY_CONTENT[kind], content, 0, at, by, command.folder or "")
    return LineReport(findings, (own, *named), leaves=leaves)


def _is_always_valid(known: Argument, value: str) -> bool:
    """Returns whether no rule can object to this value."""
    if known.kind is Kind.TEXT:
        is_one_word = " " not in value and "-" not in value
        return is_one_word and not known.choices and value.lower() not in ("true", "false")
    return known.kind is Kind.NUMBER and value.isascii() and value.isdigit()


def _is_harmless(remark: str) -> bool:
    """Returns whether it can't be mistaken for a part of the statement."""
    return not any(mark in remark for mark in "-).:\\")


def _needs_full_check(text: str) -> bool:
    """Returns whether a missing semicolon may have another reason."""
    return "//" in text or text.rstrip().endswith("；") or _ODD_START.match(text) is not None


def _is_ordinary_start(statement: str) -> bool:
    """Returns whether the start of a line without a colon looks like neither a command nor a comment."""
    if "：" in statement or _ODD_START.match(statement) is not None:
        return False
    word = _LETTERS.match(statement)
    return word is None or (word.group() not in COMMANDS and normalize(word.group()) not in BARE)


def _missing_semicolon(text: str) -> Finding:
    end = len(text.rstrip(BLANKS))
    return Finding("WG101", 0, end, end, {}, Edit(end, end, ";"))
