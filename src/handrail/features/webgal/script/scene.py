"""One scene: the problems of each line, and what the scene contributes to the project."""

import re
from collections import Counter
from functools import cached_property, lru_cache
from operator import attrgetter

from msgspec.structs import replace

from handrail.features.webgal.script.commands import BY_TYPE, SAY
from handrail.features.webgal.script.findings import NO_NOLINT, Edit, Finding, NolintComments
from handrail.features.webgal.script.line import NAMED_FIGURES, Line, LineReport, Reference, references, variables_set
from handrail.features.webgal.script.multi_line import statements
from handrail.features.webgal.script.parser import BLANKS, COMMENT, Sentence, read_line, split_lines
from handrail.features.webgal.script.rules import arguments, contents, heads, punctuation
from handrail.features.webgal.script.shortcuts import Shortcuts, scan_lines
from handrail.features.webgal.script.similar_names import normalize

CHECKS = (
    punctuation.check_punctuation,
    heads.check_head,
    arguments.check_arguments,
    contents.check_content,
    contents.check_options,
)
# A wide sign, a blank or a letter in the wrong case makes the engine read another statement or file name.
# Other findings are about the corrected line, so that one slip is one problem and not three.
_SLIPS = "WG102 WG103 WG104 WG105 WG109 WG112 WG115 WG120 WG121 WG126 WG127 WG128 WG129 WG130"
SLIPS = frozenset(_SLIPS.split())
_OTHER_NAME = "WG105"
_NO_SEMICOLON = "WG101"
# With more slips the intention can't be guessed; also stops where `\\` escapes the semicolon that a fix adds.
_MOST_SLIPS = 6


def report_by_rules(text: str) -> LineReport:
    return _report(text, _MOST_SLIPS)


def _report(text: str, slips: int) -> LineReport:
    sentence = read_line(text)
    if sentence.command == COMMENT:
        return LineReport()
    line = Line(text, sentence)
    findings = tuple([finding for check in CHECKS for finding in check(line)])
    for finding in findings if slips else ():
        if (edit := finding.edit) is not None and _is_slip(finding.code, edit, text):
            return _report_corrected(text, finding, edit, slips - 1)
    name = sentence.speaker
    named = tuple(references(line))
    return LineReport(
        findings,
        named,
        tuple(variables_set(line)),
        tuple([each.folder for each in named if each.kind == "dynamic"]),
        name,
        name is not None and heads.is_suspect(name) and not any(finding.code == "WG306" for finding in findings),
        sentence.content if sentence.command == "label" else "",
        sentence.command == "changeScene",
    )


def _is_slip(code: str, edit: Edit, text: str) -> bool:
    if code == _NO_SEMICOLON:  # a remark follows where it should be
        return bool(text[edit.end :].strip(BLANKS))
    if code == _OTHER_NAME:  # another case is a slip, another name a guess
        return normalize(text[edit.start : edit.end]) == normalize(edit.text)
    return code in SLIPS


def _report_corrected(text: str, slip: Finding, edit: Edit, slips: int) -> LineReport:
    corrected = _report(edit.apply(text), slips)
    if slip.code == _OTHER_NAME and corrected.findings:  # not valid as a command, so it may be dialogue
        slip = replace(slip, edit=replace(edit, is_safe=False))
    return replace(
        corrected,
        findings=(slip, *(_move_finding(finding, edit) for finding in corrected.findings)),
        references=tuple(_move_reference(each, edit) for each in corrected.references),
    )


def _move_finding(finding: Finding, slip: Edit) -> Finding:
    start, end, edit = _written_start(finding.start, slip), _written_end(finding.end, slip), finding.edit
    if edit is not None:
        edit = Edit(_written_start(edit.start, slip), _written_end(edit.end, slip), edit.text, edit.is_safe)
        if edit.start < slip.end and slip.start < edit.end:
            edit = None  # the text there is different
    return replace(finding, start=start, end=end, edit=edit)


def _move_reference(each: Reference, slip: Edit) -> Reference:
    return replace(each, start=_written_start(each.start, slip))


def _written_start(place: int, slip: Edit) -> int:
    """Returns the position in the written line for a position in the fixed line."""
    if len(slip.text) == slip.end - slip.start:
        return place
    behind = place - (slip.start + len(slip.text))
    return slip.end + behind if behind >= 0 else min(place, slip.start)


def _written_end(place: int, slip: Edit) -> int:
    if len(slip.text) == slip.end - slip.start:
        return place
    behind = place - (slip.start + len(slip.text))
    return slip.end + behind if behind >= 0 else slip.end if place > slip.start else place


_CONTINUED = re.compile(r"^ +[|-]", re.MULTILINE)
# Fixes that turn a line into a command. Inside an `if`, which engines don't run, it would always be executed.
_MAKES_COMMAND = frozenset({"WG103", "WG104", "WG105", "WG109"})
_REMEMBERED = 1 << 15
_line_of = attrgetter("line")


class Scene:
    def __init__(self, text: str) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self.references: list[Reference] = []
        self.labels: dict[str, list[int]] = {}
        self.speakers: Counter[str] = Counter()
        self.suspects: list[tuple[str, int]] = []
        self.sets: set[str] = set()
        self.figures: set[str] = set()
        self.has_targets = False
        self.dynamic: set[str] = set()
        # Searching for the blank first is many times faster.
        self._is_joined = ("\n " in text or text.startswith(" ")) and _CONTINUED.search(text) is not None
        self.nolint = NolintComments(map(read_line, self._statements)) if "nolint" in text else NO_NOLINT

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def _joined(self) -> tuple[list[str], dict[int, int]]:
        return statements(self.lines) if self._is_joined else (self.lines, {})

    @property
    def _statements(self) -> list[str]:
        return self._joined[0]

    def sentence(self, line: int) -> Sentence:
        return read_line(self._statements[line - 1])

    def speaker_lines(self, name: str) -> list[int]:
        return [
            number
            for number, text in enumerate(self._statements, start=1)
            if name in text and read_line(text).speaker == name
        ]

    def check(self) -> None:
        whole = "\n".join(self._statements) if self._is_joined or "\r" in self.text else self.text
        lines = scan_lines(whole, _SHORTCUTS.is_plain)
        self.speakers = lines.speakers
        self.references += [
            Reference("file", name, number, start, SAY, "vocal") for number, start, name in lines.voices
        ]
        for number, text in lines.remarkable:
            self._add_report(number, report_of(text))
        if any(finding.code == "WG106" for finding in self.findings):
            self.findings = [_as_unsafe(finding) for finding in self.findings]
        if lines.voices:
            self.references.sort(key=_line_of)
        if self._is_joined:
            for first in self._joined[1].values():
                self.findings.append(Finding("WG118", first, 0, len(self.lines[first - 1])))
        if self.text.startswith("\ufeff") and self.sentence(1).command != COMMENT:
            self.findings.append(Finding("WG107", 1, 0, 1, edit=Edit(0, 1, "")))

    def _add_report(self, number: int, report: LineReport) -> None:
        if report.references:
            for each in report.references:
                if each.kind in NAMED_FIGURES:
                    self._add_figure(each)
                self.references.append(Reference(each.kind, each.name, number, each.start, each.by, each.folder))
        if report.findings:
            self.findings += [self.relocate(replace(finding, line=number)) for finding in report.findings]
        if (name := report.speaker) is not None:
            self.speakers[name] += 1
            if report.is_suspect:
                self.suspects.append((name, number))
        elif report.label:
            self.labels.setdefault(report.label, []).append(number)
        elif report.leaves and (before := self._before(number)) is not None:
            self.findings.append(Finding("WG311", before, 0, len(self.lines[before - 1])))
        if report.sets:
            self.sets.update(report.sets)
        if report.dynamic:
            self.dynamic.update(report.dynamic)

    def _add_figure(self, each: Reference) -> None:
        if each.kind == "figure":
            self.figures.add(each.name)
        else:
            self.has_targets = True

    def relocate(self, finding: Finding) -> Finding:
        """A joined statement has columns that exist in no line, so its finding is cut to the line and has no edit."""
        if not self._is_joined or finding.line not in self._joined[1]:
            return finding
        width = len(self.lines[finding.line - 1])
        return replace(finding, start=min(finding.start, width), end=min(finding.end, width), edit=None)

    def _before(self, number: int) -> int | None:
        """Returns the line of the previous statement, if it continues only because of its `-next`."""
        for line in range(number - 1, 0, -1):
            sentence = self.sentence(line)
            if sentence.command != COMMENT:
                goes_on = BY_TYPE[sentence.command].goes_on
                return line if ("next", True) in sentence.args and not goes_on else None
        return None


def _as_unsafe(finding: Finding) -> Finding:
    if finding.edit is None or finding.code not in _MAKES_COMMAND:
        return finding
    return replace(finding, edit=replace(finding.edit, is_safe=False))


_SHORTCUTS = Shortcuts(report_by_rules)


@lru_cache(maxsize=_REMEMBERED)
def report_of(text: str) -> LineReport:
    return _SHORTCUTS.report(text) or report_by_rules(text)


def clear_caches() -> None:
    """Forgets all checked lines, for benchmarks."""
    report_of.cache_clear()
    _SHORTCUTS.clear()


def check_scene(text: str) -> Scene:
    scene = Scene(text)
    scene.check()
    return scene
