"""A docstring's parts: what a tool does, and what is said of each parameter. Knows Google's and Sphinx's ways."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTIONS = ("args", "arguments", "parameters", "returns", "return", "raises", "yields", "example", "examples", "note")
_SECTION = re.compile(rf"({'|'.join(_SECTIONS)}):\s*", re.IGNORECASE)
_ITEM = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)")
_FIELD = re.compile(r":(param|parameter|arg|returns?)(?:\s+[^:]*?(\w+))?:\s*(.*)")


@dataclass(frozen=True)
class Docstring:
    summary: str
    params: dict[str, str]
    returns: str


def read_docstring(text: str | None) -> Docstring:
    summary: list[str] = []
    params: dict[str, str] = {}
    returns: list[str] = []
    for section, lines in _sections(inspect.cleandoc(text or "").splitlines()):
        if section == "":
            summary += lines
        elif section in ("args", "arguments", "parameters"):
            params |= _items(lines)
        elif section in ("returns", "return"):
            returns += lines
    rest: list[str] = []
    for name, said in _fields(summary, rest):
        if name:
            params[name] = said
        else:
            returns.append(said)
    return Docstring(_joined("\n".join(rest)), params, " ".join(line.strip() for line in returns).strip())


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The text before the first heading under "", then each section under its heading's word."""
    name, found = "", list[str]()
    for line in lines:
        if heading := _SECTION.fullmatch(line):
            yield name, found
            name, found = heading[1].lower(), []
        elif name and line and not line[0].isspace():
            yield name, found
            name, found = "", [line]
        else:
            found.append(line)
    yield name, found


def _items(lines: list[str]) -> dict[str, str]:
    """`name: text` or `name (type): text`; what is indented deeper goes on with the text."""
    items: dict[str, str] = {}
    depth, current = None, ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = _ITEM.fullmatch(line.strip())
        if item and (depth is None or indent <= depth):
            depth, current = indent, item[1]
            items[current] = item[2]
        elif current and line.strip():
            items[current] = f"{items[current]} {line.strip()}".strip()
    return items


def _fields(lines: list[str], rest: list[str]) -> Iterator[tuple[str, str]]:
    """`:param name: text` and `:returns: text`; every other line goes to `rest`."""
    name, said = "", None
    for line in lines:
        field = _FIELD.fullmatch(line.strip())
        if field or (said is not None and not line[:1].isspace()):
            if said is not None:
                yield name, said
            said = None
        if field:
            name, said = ("" if field[1].startswith("return") else field[2] or ""), field[3]
        elif said is not None:
            said = f"{said} {line.strip()}"
        elif not line.startswith(":"):
            rest.append(line)
    if said is not None:
        yield name, said


def _joined(text: str) -> str:
    """Paragraphs without the line breaks that only kept the source narrow."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
