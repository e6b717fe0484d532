"""A scene with its safe fixes applied; what would be a guess is left to people."""

from collections.abc import Callable, Iterable, Mapping

from handrail.core.webgal.findings import Edit, Finding

_MOST_PASSES = 5


def hint(finding: Finding, lines: list[str]) -> str | None:
    """The whole line as it should be, to be put in its place."""
    if finding.edit is None or finding.line > len(lines):
        return None
    return finding.edit.applied(lines[finding.line - 1])


def mended(text: str, check: Callable[[str], Iterable[Finding]]) -> str:
    """Again and again while a fix shows the next one: an indented command without a semicolon needs two."""
    for _ in range(_MOST_PASSES):
        after = _applied(text, check(text))
        if after == text:
            break
        text = after
    return text


def with_fix(text: str, finding: Finding) -> str:
    """The one fix alone, were it a guess: whoever wants it has seen it."""
    return _with_edits(text, {finding.line: [finding.edit]}) if finding.edit is not None else text


def _applied(text: str, findings: Iterable[Finding]) -> str:
    by_line: dict[int, list[Edit]] = {}
    for finding in findings:
        if finding.edit is not None and finding.edit.is_safe:
            by_line.setdefault(finding.line, []).append(finding.edit)
    return _with_edits(text, by_line)


def _with_edits(text: str, by_line: Mapping[int, list[Edit]]) -> str:
    lines = text.split("\n")  # line ends stay as they are
    for number, edits in by_line.items():
        line = lines[number - 1]
        bare = line.rstrip("\r")
        if "\r" not in bare:  # the columns are those of a line without any
            lines[number - 1] = _edited(bare, edits) + line[len(bare) :]
    return "\n".join(lines)


def _edited(line: str, edits: list[Edit]) -> str:
    """From the right; of two that touch the same letters the second waits for the next pass."""
    done = len(line) + 1
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        if edit.end <= done and (edit.start, edit.end) != (done, done):
            line = edit.applied(line)
            done = edit.start
    return line
