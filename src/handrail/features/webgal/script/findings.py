"""Findings: what is wrong and where, messages in two languages, fixes, and how authors silence them."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec.structs import replace

from handrail.features.webgal.script.parser import COMMENT, Sentence
from handrail.ports.language import Language as Language


class Edit(msgspec.Struct, frozen=True, gc=False):
    """Replaces characters of one line. `is_safe` means that it can't change what the author meant."""

    start: int
    end: int
    text: str
    is_safe: bool = True

    def apply(self, line: str) -> str:
        return line[: self.start] + self.text + line[self.end :]


class Finding(msgspec.Struct, frozen=True, gc=False):
    """`line` counts from 1; `start` and `end` are its characters from 0."""

    code: str
    line: int
    start: int = 0
    end: int = 0
    values: dict[str, str] = {}
    edit: Edit | None = None
    is_grave: bool = False
    """For rules whose kind depends on the consequences: this finding breaks the game."""


Kind = Literal["syntax", "resource", "style"]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    zh: str
    en: str
    grave: Kind | None = None


@cache
def rule_catalogue() -> Mapping[str, Rule]:
    table = files("handrail.features.webgal.script").joinpath("rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(table), dict[str, Rule])


def kind_of(finding: Finding) -> Kind:
    rule = rule_catalogue()[finding.code]
    return rule.grave if finding.is_grave and rule.grave is not None else rule.kind


def is_breaking(finding: Finding) -> bool:
    """Findings about style never make a script invalid."""
    return kind_of(finding) != "style"


def message(finding: Finding, language: Language) -> str:
    """Returns the message, ending with the code that silences the rule."""
    rule = rule_catalogue()[finding.code]
    near = finding.values.get("near", "")
    guess = (f"，是否想写 {near}？" if language == "zh" else f"; did you mean {near}?") if near else ""
    text = rule.zh if language == "zh" else rule.en
    if "more" in finding.values:
        more, count = finding.values["more"], finding.values["count"]
        text += f"（另有 {count} 行：{more}）" if language == "zh" else f" (and on {count} more lines: {more})"
    return f"{text.format(**{**finding.values, 'near': near, 'guess': guess})} [{finding.code}]"


def once_per_file(findings: Iterable[Finding]) -> list[Finding]:
    """Many games have no semicolons: more than a few such findings become one that lists the other lines."""
    all_findings = list(findings)
    without_semicolon = [each for each in all_findings if each.code == _NO_SEMICOLON]
    if len(without_semicolon) <= _FEW:
        return all_findings
    lines = ", ".join(str(each.line) for each in without_semicolon[1 : _MOST_LINES_NAMED + 1])
    more = f"{lines} …" if len(without_semicolon) - 1 > _MOST_LINES_NAMED else lines
    first = replace(without_semicolon[0], values={"more": more, "count": str(len(without_semicolon) - 1)})
    return [
        first if each is without_semicolon[0] else each
        for each in all_findings
        if each.code != _NO_SEMICOLON or each is without_semicolon[0]
    ]


def language_of(wanted: str) -> Language:
    """Returns Chinese unless English is requested."""
    return "en" if wanted.strip().lower().startswith("en") else "zh"


_MOST_PASSES = 5
_NO_SEMICOLON = "WG101"
_FEW = 3
_MOST_LINES_NAMED = 20


def fixed_line(finding: Finding, lines: list[str]) -> str | None:
    """Returns the whole line after the fix."""
    if finding.edit is None or finding.line > len(lines):
        return None
    return finding.edit.apply(lines[finding.line - 1])


def with_safe_fixes(text: str, check: Callable[[str], Iterable[Finding]]) -> str:
    """Repeats if a fix uncovers another: an indented command without a semicolon needs two passes."""
    for _ in range(_MOST_PASSES):
        after = _apply_safe_edits(text, check(text))
        if after == text:
            break
        text = after
    return text


def with_fix(text: str, finding: Finding) -> str:
    """Applies this fix, even if it is a guess: the person has seen it."""
    return _apply_by_line(text, {finding.line: [finding.edit]}) if finding.edit is not None else text


def _apply_safe_edits(text: str, findings: Iterable[Finding]) -> str:
    by_line: dict[int, list[Edit]] = {}
    for finding in findings:
        if finding.edit is not None and finding.edit.is_safe:
            by_line.setdefault(finding.line, []).append(finding.edit)
    return _apply_by_line(text, by_line)


def _apply_by_line(text: str, by_line: Mapping[int, list[Edit]]) -> str:
    lines = text.split("\n")  # keeps the line ends
    for number, edits in by_line.items():
        line = lines[number - 1]
        bare = line.rstrip("\r")
        if "\r" not in bare:  # columns don't count carriage returns
            lines[number - 1] = _apply_edits(bare, edits) + line[len(bare) :]
    return "\n".join(lines)


def _apply_edits(line: str, edits: list[Edit]) -> str:
    """Applies edits from right to left. If two overlap, the second waits for the next pass."""
    edited_from = len(line) + 1
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        if edit.end <= edited_from and (edit.start, edit.end) != (edited_from, edited_from):
            line = edit.apply(line)
            edited_from = edit.start
    return line


_NOLINT = re.compile(
    r"nolint(?P<file>-file)?\b[\s:：]*(?P<codes>[A-Za-z]{2}\d{3}(?:[\s,，]+[A-Za-z]{2}\d{3})*)?", re.ASCII
)
_EVERY_RULE = "*"


class NolintComments:
    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._everywhere: set[str] = set()
        self._on: dict[int, set[str]] = {}
        for_next: set[str] = set()
        for number, sentence in enumerate(sentences, start=1):
            is_comment = sentence.command == COMMENT
            text = sentence.content if is_comment else sentence.comment
            match = _NOLINT.match(text) if text.startswith("nolint") else None
            codes = (
                set(re.split(r"[\s,，]+", match["codes"].upper()) if match["codes"] else [_EVERY_RULE])
                if match
                else set()
            )
            if match and match["file"]:
                self._everywhere |= codes
            elif is_comment:
                for_next |= codes  # for the next statement
            else:
                if codes or for_next:
                    self._on[number] = codes | for_next
                for_next = set()

    def allows(self, finding: Finding) -> bool:
        return not (_covers(self._everywhere, finding.code) or _covers(self._on.get(finding.line, ()), finding.code))


NO_NOLINT = NolintComments(())


def _covers(codes: Collection[str], code: str) -> bool:
    return bool(codes) and (_EVERY_RULE in codes or code in codes)
