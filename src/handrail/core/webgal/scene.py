"""One scene by itself: its statements, what is wrong with each line, and what it says about the project."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from handrail.core.webgal.commands import BY_TYPE, SAY
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.multi_line import continues
from handrail.core.webgal.references import Reference, references, variables_set
from handrail.core.webgal.rules import arguments, choices, contents, heads, punctuation
from handrail.core.webgal.rules.line import Line
from handrail.core.webgal.sentences import COMMENT, Sentence, read_line, split_comment, split_lines
from handrail.core.webgal.silence import Silence

FAMILIES = (punctuation.check, heads.check, arguments.check, contents.check, choices.check)
# Dialogue without any of these breaks no rule and names nothing: nearly every line of a game.
_REMARKABLE = re.compile(r"^[\sA-Za-z0-9#/]|[；：{\\]|[ \t\u3000\u00a0]-|none|;.*\S", re.ASCII)
_CONTINUED = re.compile(r"^ +[|-]", re.MULTILINE)
_REMEMBERED = 1 << 15


class Report(msgspec.Struct, frozen=True):
    """What is known of a line's text, wherever it stands."""

    sentence: Sentence
    findings: tuple[Finding, ...] = ()
    references: tuple[Reference, ...] = ()
    sets: tuple[str, ...] = ()


@dataclass(slots=True)
class Scene:
    text: str
    lines: list[str]
    sentences: list[Sentence]
    findings: list[Finding] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    labels: dict[str, list[int]] = field(default_factory=dict)
    speakers: Counter[str] = field(default_factory=Counter)
    suspects: list[tuple[str, int]] = field(default_factory=list)
    sets: set[str] = field(default_factory=set)
    dynamic: set[str] = field(default_factory=set)
    silence: Silence = field(default_factory=lambda: Silence(()))


@lru_cache(maxsize=_REMEMBERED)
def look(text: str) -> Report:
    sentence = read_line(text)
    if sentence.command == COMMENT:
        return Report(sentence)
    if sentence.command == SAY and ";" in text and _REMARKABLE.search(text) is None:
        return Report(sentence)
    line = Line(text, sentence)
    found = [finding for check in FAMILIES for finding in check(line)]
    return Report(sentence, tuple(found), tuple(references(line)), tuple(variables_set(line)))


def check_scene(text: str) -> Scene:
    lines = split_lines(text)
    statements, joined = _statements(lines) if _CONTINUED.search(text) else (lines, {})
    reports = list(map(look, statements))
    scene = Scene(text, lines, [report.sentence for report in reports])
    for number, report in enumerate(reports, start=1):
        if report.findings:
            scene.findings += (_placed(finding, number, lines, number in joined) for finding in report.findings)
        if report.references:
            scene.references += (reference.on(number) for reference in report.references)
            scene.dynamic.update(each.folder for each in report.references if each.what == "dynamic")
        if report.sets:
            scene.sets.update(report.sets)
    _remember(scene)
    for first in joined.values():
        scene.findings.append(Finding("WG118", first, 0, len(lines[first - 1])))
    if text.startswith("\ufeff") and scene.sentences[0].command != COMMENT:
        scene.findings.append(Finding("WG107", 1, 0, 1, edit=Edit(0, 1, "")))
    scene.silence = Silence(scene.sentences) if "nolint" in text else Silence(())
    return scene


def _placed(finding: Finding, number: int, lines: list[str], is_joined: bool) -> Finding:
    if not is_joined:
        return replace(finding, line=number)
    width = len(lines[number - 1])  # the columns are those of a text that stands nowhere
    return replace(finding, line=number, start=min(finding.start, width), end=min(finding.end, width), edit=None)


def _remember(scene: Scene) -> None:
    """Who speaks, which labels there are, and what changeScene follows on."""
    before: tuple[int, Sentence] | None = None
    for number, sentence in enumerate(scene.sentences, start=1):
        if sentence.command == SAY:
            if (name := sentence.speaker) is not None:
                scene.speakers[name] += 1
                if name.isascii() and heads.guess(name) is not None:
                    scene.suspects.append((name, number))
        elif sentence.command == "label" and sentence.content:
            scene.labels.setdefault(sentence.content, []).append(number)
        elif sentence.command == "changeScene" and before is not None and _asks_for_next(before[1]):
            scene.findings.append(Finding("WG311", before[0], 0, len(scene.lines[before[0] - 1])))
        if sentence.command != COMMENT:
            before = (number, sentence)


def _asks_for_next(sentence: Sentence) -> bool:
    """In so many words; some commands go on by themselves."""
    return ("next", True) in sentence.args[1 if BY_TYPE[sentence.command].goes_on else 0 :]


def _statements(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Lines with what continues them joined to them; by the line that continues or is continued, the finding's line."""
    texts, joined = list(lines), {}
    head: int | None = None
    for index, line in enumerate(lines):
        if not continues(line):
            head = index
            continue
        if head is None or not texts[head].strip() or split_comment(texts[head])[1] is not None:
            joined[index + 1] = index + 1
            texts[index] = ""
            continue
        piece = line.strip()
        texts[head] += f" {piece}" if piece.startswith("-") else piece
        texts[index] = ""
        joined.setdefault(head + 1, index + 1)
    return texts, joined
