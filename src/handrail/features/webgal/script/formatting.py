"""Rewrites lines in one style without changing what the engine reads."""

from collections.abc import Iterator, Sequence

from handrail.features.webgal.script.anatomy import statement_end
from handrail.features.webgal.script.commands import COMMANDS
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR, read_line

# A semicolon after these would hide a full-width one, or be escaped.
_NO_SEMICOLON_AFTER = ("；", "\\")


def formatted_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yields the lines that change, counted from 0. Statements over several lines stay as they are."""
    for number, line in enumerate(lines):
        is_continued = line.endswith("\\") or (number + 1 < len(lines) and continues(lines[number + 1]))
        is_continuation = continues(line) or (number > 0 and lines[number - 1].endswith("\\"))
        if is_continued or is_continuation:
            continue
        better = formatted(line)
        if better != line:
            yield number, better


def formatted(line: str) -> str:
    """Removes meaningless blanks and adds a semicolon, unless the engine would read the line differently."""
    better = _rewritten(line)
    if better.endswith("\\") > line.endswith("\\") or continues(better) > continues(line):
        return line  # without its blanks it would join the line after or before it
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
    content_text = content.strip(BLANKS) if is_command else content.rstrip(BLANKS)
    result = SEPARATOR.join([f"{head}{colon}{content_text}", *map(_argument, arguments)])
    if not remark and not result.endswith(_NO_SEMICOLON_AFTER) and "//" not in result:
        remark = ";"
    return result + remark


def _argument(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name.strip(BLANKS)}{equals}{value.strip(BLANKS)}"
