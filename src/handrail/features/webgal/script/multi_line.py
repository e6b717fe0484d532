"""Statements over several lines, which editors join before parsing; engines since 4.6.3 join them themselves."""

from handrail.features.webgal.script.parser import BLANKS, split_comment, split_lines

PLACEHOLDER = ";_WEBGAL_LINE_BREAK_"
EMPTY_SAYING = " -sayPlaceHolder;"
"""How editors write empty dialogue."""


def join_lines(text: str) -> str:
    """Puts each statement on its first line, and a comment in place of every further line."""
    return "\n".join(_join(_marked(split_lines(text))))


def continues(line: str) -> bool:
    """Returns whether this line continues the one before it, which needs no mark of its own."""
    return line.startswith(" ") and line.lstrip(BLANKS).startswith(("|", "-")) and "-concat" not in line


def _marked(lines: list[str]) -> list[str]:
    marked: list[str] = []
    for line in lines:
        if marked and continues(line):
            marked[-1] += "\\"
        marked.append(line)
    return marked


def _join(lines: list[str]) -> list[str]:
    """Drops a statement that is still open at the end of the text, as the engine does."""
    result: list[str] = []
    statement, placeholders = "", []
    for line in lines:
        is_open = line.endswith("\\")
        line_text = line[:-1] if is_open else line
        if not statement:
            if is_open:
                statement = line_text
            else:
                result.append(line_text)
            continue
        piece = line_text.strip(BLANKS)
        statement += " " + piece if piece.startswith("-") else piece
        placeholders.append(PLACEHOLDER + line_text)
        if not is_open:
            result += [statement, *placeholders]
            statement, placeholders = "", []
    return result


def statements(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Returns the lines joined with their continuations, and for each line involved the line of its findings."""
    texts, finding_lines = list(lines), {}
    head: int | None = None
    for index, line in enumerate(lines):
        if not continues(line) or line.rstrip() == EMPTY_SAYING:
            head = index
            continue
        if head is None or not texts[head].strip() or split_comment(texts[head])[1] is not None:
            finding_lines[index + 1] = index + 1
            texts[index] = ""
            continue
        piece = line.strip()
        texts[head] += f" {piece}" if piece.startswith("-") else piece
        texts[index] = ""
        finding_lines.setdefault(head + 1, index + 1)
    return texts, finding_lines
