"""Rewrites lines in one style. To the engine each is the same statement as before."""

from collections.abc import Iterator, Sequence

from handrail.features.webgal.script.anatomy import statement_end
from handrail.features.webgal.script.commands import COMMANDS
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR, read_line

# A semicolon behind them would hide that another sign stands in its place, or be escaped by it.
_NO_SEMICOLON_AFTER = ("；", "\\")


def formatted_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that change, counted from 0. What is written over several lines stays as it is."""
    for number, line in enumerate(lines):
        is_continued = line.endswith("\\") or (number + 1 < len(lines) and continues(lines[number + 1]))
        is_continuation = continues(line) or (number > 0 and lines[number - 1].endswith("\\"))
        if is_continued or is_continuation:
            continue
        better = formatted(line)
        if better != line:
            yield number, better


def formatted(line: str) -> str:
    """Without blanks that say nothing, and with a semicolon; unchanged if the engine would read another statement."""
    better = _rewritten(line)
    if better.endswith("\\") > line.endswith("\\") or continues(better) > continues(line):
        return line  # without its blanks it would take in the next line, or be taken in
    return better if read_line(better) == read_line(line) else line


def _rewritten(line: str) -> str:
    end = statement_end(line)
    statement, remark = line[:end], line[end:].rstrip(BLANKS)
    if not statement.strip(BLANKS):
        return remark
    head, colon, body = statement.partition(":")
    if not colon:
        head, body = "", statement
    content, *arguments = body.split(SEPARATOR)
    is_command = head in COMMANDS or not colon
    said = content.strip(BLANKS) if is_command else content.rstrip(BLANKS)
    written = SEPARATOR.join([f"{head}{colon}{said}", *map(_argument, arguments)])
    if not remark and not written.endswith(_NO_SEMICOLON_AFTER) and "//" not in written:
        remark = ";"
    return written + remark


def _argument(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name.strip(BLANKS)}{equals}{value.strip(BLANKS)}"
