"""What an editor offers for a finding: the fix that `--fix` knows, all safe ones at once, and silence."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.renaming import Replacement
from handrail.features.webgal.lsp.usages import Place
from handrail.features.webgal.script.anatomy import statement_end
from handrail.features.webgal.script.findings import Finding, Language, with_safe_fixes
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.project import CONFIG

_NOLINT = re.compile(r";\s*nolint[\s:：]*(?:[A-Za-z]{2}\d{3}[\s,，]*)+$", re.ASCII)
_LONGEST = 60
# About the file as a whole, or about lines that belong to no statement of their own.
_OF_FILES = frozenset({"WG118", "WG402"})
# A remark can't help bytes that are read before it.
_BEYOND_REMARKS = frozenset({"WG107", "WG125"})


class Fix(msgspec.Struct, frozen=True, gc=False):
    """`finding` is what it is for; `is_preferred`: it can't change what the author meant."""

    title: str
    replacements: list[Replacement]
    finding: Finding
    is_preferred: bool = False


def fixes(game: Game, path: str, findings: Sequence[Finding], language: Language) -> Iterator[Fix]:
    lines = game.lines(path)
    for finding in findings:
        if finding.line > len(lines):
            continue
        if (edit := finding.edit) is not None:
            place = Place(path, finding.line - 1, edit.start, edit.end)
            better = edit.applied(lines[finding.line - 1]).strip()
            title = phrase("fix", language, text=better if len(better) <= _LONGEST else better[:_LONGEST] + "…")
            yield Fix(title, [Replacement(place, edit.text)], finding, edit.is_safe)
        if path != game.prefix + CONFIG and finding.code not in _BEYOND_REMARKS:
            yield _silenced(path, finding, lines, language)


def all_fixed(game: Game, path: str) -> list[Replacement]:
    """Line by line: nothing else of the text is touched."""
    lines = game.lines(path)
    name = game.scene_name(path)
    check = game.project.settings if name is None else (lambda now: game.project.findings_of(now, name))
    after = with_safe_fixes("\n".join(lines), check).split("\n")
    return [
        Replacement(Place(path, number, 0, len(old)), new)
        for number, (old, new) in enumerate(zip(lines, after, strict=True))
        if old != new
    ]


def _silenced(path: str, finding: Finding, lines: Sequence[str], language: Language) -> Fix:
    code, number = finding.code, finding.line - 1
    if code in _OF_FILES:
        start = len(lines[0]) - len(lines[0].lstrip("\ufeff"))
        edit = Replacement(Place(path, 0, start, start), f";nolint-file {code}\n")
        return Fix(phrase("silence file", language, code=code), [edit], finding)
    return Fix(phrase("silence", language, code=code), [_remark(path, number, lines, code)], finding)


def _remark(path: str, number: int, lines: Sequence[str], code: str) -> Replacement:
    """Behind the statement where nothing stands there yet, otherwise on a line of its own before it."""
    line = lines[number]
    end, width = statement_end(line), len(line.rstrip())
    is_continued = number + 1 < len(lines) and continues(lines[number + 1])
    if end < len(line) and not is_continued:
        if width == end + 1:
            return Replacement(Place(path, number, end + 1, len(line)), f"nolint {code}")
        if _NOLINT.fullmatch(line, end, width):
            return Replacement(Place(path, number, width, len(line)), f" {code}")
    return Replacement(Place(path, number, 0, 0), f";nolint {code}\n")
