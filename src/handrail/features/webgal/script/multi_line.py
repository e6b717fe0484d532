"""Statements over several lines, which editors join before parsing and engines from 4.6.3 on join themselves."""

from handrail.features.webgal.script.parser import BLANKS, split_comment, split_lines

PLACEHOLDER = ";_WEBGAL_LINE_BREAK_"
EMPTY_SAYING = " -sayPlaceHolder;"
"""How editors write dialogue without a word."""


def joined(text: str) -> str:
    """The text with each statement on its first line, and a comment in place of every further line."""
    return "\n".join(_join(_marked(split_lines(text))))


def continues(line: str) -> bool:
    """Whether this line continues the one before it, which need not say so."""
    return line.startswith(" ") and line.lstrip(BLANKS).startswith(("|", "-")) and "-concat" not in line


def _marked(lines: list[str]) -> list[str]:
    marked: list[str] = []
    for line in lines:
        if marked and continues(line):
            marked[-1] += "\\"
        marked.append(line)
    return marked


def _join(lines: list[str]) -> list[str]:
    """A statement that is still open at the end of the text is lost, as in the engine."""
    done: list[str] = []
    statement, taken = "", []
    for line in lines:
        is_open = line.endswith("\\")
        own = line[:-1] if is_open else line
        if not statement:
            if is_open:
                statement = own
            else:
                done.append(own)
            continue
        piece = own.strip(BLANKS)
        statement += " " + piece if piece.startswith("-") else piece
        taken.append(PLACEHOLDER + own)
        if not is_open:
            done += [statement, *taken]
            statement, taken = "", []
    return done


def statements(lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """Lines joined with their continuations, and for each line involved the line of its findings."""
    texts, joined = list(lines), {}
    head: int | None = None
    for index, line in enumerate(lines):
        if not continues(line) or line.rstrip() == EMPTY_SAYING:
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
