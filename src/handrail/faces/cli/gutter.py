"""Other people's text behind a gutter, wrapped by us.

So no text, however long, padded or full of line breaks, can look like a line of handrail's own.
"""

import os
from collections.abc import Iterator
from typing import TextIO

from handrail.kernel.visible import visible

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
