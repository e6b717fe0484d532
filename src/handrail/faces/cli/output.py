"""Output to stdout and stderr. Control characters in foreign text are made visible first."""

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, TextIO

from handrail.kernel.visible import one_line as one_line
from handrail.kernel.visible import visible, visible_json
from handrail.ports.errors import Failure


def print_json(value: Any) -> None:
    """Prints one JSON text and a newline; indented on a terminal."""
    import msgspec

    data = msgspec.json.encode(value)
    if sys.stdout.isatty():
        data = visible_json(msgspec.json.format(data, indent=2).decode()).encode()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def say(text: str = "") -> None:
    print(visible(text))


def complain(failure: Failure) -> None:
    print(f"handrail: {visible(failure.message)}", file=sys.stderr)
    if failure.hint is not None:
        print(f"  {visible(failure.hint)}", file=sys.stderr)


def log_to_stderr() -> None:
    """Logs warnings and errors, ours and the libraries'; nothing below that level."""
    import logging

    class Escaped(logging.Formatter):
        """Other programs' texts in a log can neither control the terminal nor begin a line that looks like ours."""

        def format(self, record: logging.LogRecord) -> str:
            return visible(super().format(record)).replace("\n", "\n  ")

    handler = logging.StreamHandler()
    handler.setFormatter(Escaped("handrail: %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def columns(rows: Sequence[Sequence[object]]) -> list[str]:
    """Lines of left-aligned columns, two spaces apart."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in cells) for index in range(len(cells[0]))] if cells else []
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def print_list(as_json: bool, value: Any, rows: Sequence[Sequence[object]], empty: str) -> None:
    """Prints `value` for programs, or `rows` for people, and `empty` if there are none."""
    if as_json:
        print_json(value)
        return
    for line in columns(rows) or [empty]:
        say(line)


def local_time(text: object) -> str:
    """The audit's UTC time in this machine's time zone, to the second; unparsable text is returned as it is."""
    try:
        return datetime.fromisoformat(str(text)).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return str(text)


_FIRST, _WRAPPED = "  │ ", "  ┆ "
_TAB = 4
_NARROWEST = 20


def behind_gutter(text: str, width: int) -> Iterator[str]:
    from rich.cells import chop_cells

    room = max(width, _NARROWEST) - len(_FIRST) - 1
    for line in visible(text).split("\n"):
        pieces = chop_cells(line.expandtabs(_TAB), room) or [""]
        yield _FIRST + pieces[0]
        for piece in pieces[1:]:
            yield _WRAPPED + piece


def width_of(screen: TextIO) -> int:
    try:
        return os.get_terminal_size(screen.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
