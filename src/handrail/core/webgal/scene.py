"""One scene by itself: what is wrong with each line, and what it says about the project.

Most lines of a game are plain dialogue, which breaks no rule and names nothing. One expression tells them from the
others, which alone are parsed and judged.
"""

import re
from collections import Counter
from functools import cached_property, lru_cache
from operator import attrgetter

from msgspec.structs import replace

from handrail.core.webgal.commands import BY_TYPE, SAY
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.judging import judged
from handrail.core.webgal.multi_line import statements
from handrail.core.webgal.plain import sifted
from handrail.core.webgal.quick import Shortcuts
from handrail.core.webgal.references import Reference
from handrail.core.webgal.report import Report
from handrail.core.webgal.sentences import COMMENT, Sentence, read_line, split_lines
from handrail.core.webgal.silence import NOTHING_SILENCED, Silence

_CONTINUED = re.compile(r"^ +[|-]", re.MULTILINE)
# What makes a command of a line. Between the brackets of an `if` that nobody runs, it would be run in any case.
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
        self.dynamic: set[str] = set()
        # Looking for the mere blank first is many times as fast.
        self._is_joined = ("\n " in text or text.startswith(" ")) and _CONTINUED.search(text) is not None
        self.silence = Silence(map(read_line, self._statements)) if "nolint" in text else NOTHING_SILENCED

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def _joint(self) -> tuple[list[str], dict[int, int]]:
        return statements(self.lines) if self._is_joined else (self.lines, {})

    @property
    def _statements(self) -> list[str]:
        return self._joint[0]

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
        lines = sifted(whole, _SHORTCUTS.is_plain)
        self.speakers = lines.speakers
        self.references += [
            Reference("file", name, number, start, SAY, "vocal") for number, start, name in lines.voices
        ]
        for number, text in lines.remarkable:
            self._note(number, look(text))
        if any(finding.code == "WG106" for finding in self.findings):
            self.findings = [_as_guess(finding) for finding in self.findings]
        if lines.voices:
            self.references.sort(key=_line_of)
        if self._is_joined:
            for first in self._joint[1].values():
                self.findings.append(Finding("WG118", first, 0, len(self.lines[first - 1])))
        if self.text.startswith("\ufeff") and self.sentence(1).command != COMMENT:
            self.findings.append(Finding("WG107", 1, 0, 1, edit=Edit(0, 1, "")))

    def _note(self, number: int, report: Report) -> None:
        if report.references:
            for each in report.references:
                self.references.append(Reference(each.what, each.name, number, each.start, each.by, each.folder))
        if report.findings:
            self.findings += [self.placed(replace(finding, line=number)) for finding in report.findings]
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

    def placed(self, finding: Finding) -> Finding:
        """Of a joined statement the columns are those of a text that stands nowhere, so no line is mended by them."""
        if not self._is_joined or finding.line not in self._joint[1]:
            return finding
        width = len(self.lines[finding.line - 1])
        return replace(finding, start=min(finding.start, width), end=min(finding.end, width), edit=None)

    def _before(self, number: int) -> int | None:
        """The line of the statement before, where it goes on only because it says so."""
        for line in range(number - 1, 0, -1):
            sentence = self.sentence(line)
            if sentence.command != COMMENT:
                goes_on = BY_TYPE[sentence.command].goes_on
                return line if ("next", True) in sentence.args and not goes_on else None
        return None


def _as_guess(finding: Finding) -> Finding:
    if finding.edit is None or finding.code not in _MAKES_COMMAND:
        return finding
    return replace(finding, edit=replace(finding.edit, is_safe=False))


_SHORTCUTS = Shortcuts(judged)


@lru_cache(maxsize=_REMEMBERED)
def look(text: str) -> Report:
    return _SHORTCUTS.report(text) or judged(text)


def forget() -> None:
    """For measuring: as if no line had been looked at."""
    look.cache_clear()
    _SHORTCUTS.clear()


def check_scene(text: str) -> Scene:
    scene = Scene(text)
    scene.check()
    return scene
