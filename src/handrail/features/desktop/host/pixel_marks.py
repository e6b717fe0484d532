"""Finds what looks like a button in the picture of a window: boxes with an edge on all four sides. Pure."""

import re
from collections import defaultdict
from typing import NamedTuple

from handrail.features.desktop.platform import Rect

_BYTES_A_PIXEL = 4
_GREEN = 1
_STEPS = bytes(value >> 3 for value in range(256))
"""Shades that differ by less are one: themes fill buttons with a gradient."""
_IS_EDGE = b"\0" + b"\1" * 255
_LEAST_WIDTH, _MOST_WIDTH = 14, 600
_LEAST_HEIGHT, _MOST_HEIGHT = 12, 90
_CORNER = 6
"""Pixels that a rounded corner takes from a side."""
_SIDE_SHARE = 0.6
_MOST_BOXES = 400
_SAME = 8
_RUNS = re.compile(rb"\x01{%d,}" % (_LEAST_WIDTH - 2))


class _Run(NamedTuple):
    y: int
    left: int
    right: int


def boxes(bgrx: bytes, width: int, height: int) -> list[Rect]:
    """In reading order, in the picture's own pixels."""
    shades = bytes(bgrx[_GREEN::_BYTES_A_PIXEL]).translate(_STEPS)
    across, down = _edges(shades, width), _edges(shades, 1)
    found = [box for top, bottom in _pairs(across, width, height) if (box := _box(top, bottom, down, width))]
    kept: list[Rect] = []
    # The outermost of several around one place: a frame around a button, the button, and the focus inside.
    for box in sorted(set(found), key=lambda one: (-one.width * one.height, one.y, one.x)):
        if not any(_is_same(box, other) for other in kept):
            kept.append(box)
    single = [box for box in kept if sum(_contains(box, other) for other in kept) < 3]
    return sorted(single, key=lambda box: (box.y // 12, box.x))[:_MOST_BOXES]


def _edges(shades: bytes, distance: int) -> bytes:
    """1 for each pixel that differs from the one `distance` further on."""
    here, there = shades[:-distance], shades[distance:]
    differing = int.from_bytes(here, "little") ^ int.from_bytes(there, "little")
    return differing.to_bytes(len(here), "little").translate(_IS_EDGE)


def _pairs(across: bytes, width: int, height: int) -> list[tuple[_Run, _Run]]:
    """Edges one above the other that begin and end at the same places, nearly."""
    above: dict[int, list[_Run]] = defaultdict(list)
    pairs: list[tuple[_Run, _Run]] = []
    for y in range(height - 1):
        row = across[y * width : (y + 1) * width]
        for match in _RUNS.finditer(row):
            run = _Run(y, match.start(), match.end())
            if run.right - run.left > _MOST_WIDTH:
                continue
            key = run.left // _CORNER
            for near in (key - 1, key, key + 1):
                pairs += [(top, run) for top in above[near] if _fit(top, run)]
            above[key] = [top for top in above[key] if y - top.y <= _MOST_HEIGHT] + [run]
    return pairs


def _fit(top: _Run, bottom: _Run) -> bool:
    return (
        _LEAST_HEIGHT <= bottom.y - top.y <= _MOST_HEIGHT
        and abs(top.left - bottom.left) <= _CORNER
        and abs(top.right - bottom.right) <= _CORNER
    )


def _box(top: _Run, bottom: _Run, down: bytes, width: int) -> Rect | None:
    left, right = min(top.left, bottom.left), max(top.right, bottom.right)
    rows = range(top.y + 1, bottom.y + 1)
    for side in (left, right):
        columns = [max(side - _CORNER // 2, 0), min(side + _CORNER // 2, width - 1)]
        has_edge = sum(1 in down[y * width + columns[0] : y * width + columns[1]] for y in rows)
        if has_edge < len(rows) * _SIDE_SHARE:
            return None
    return Rect(left, top.y + 1, right - left, bottom.y - top.y)


def _is_same(one: Rect, other: Rect) -> bool:
    """One lies closely around the other, or both overlap for the most part."""
    both = one.meets(other)
    if both is None:
        return False
    share = both.width * both.height / min(one.width * one.height, other.width * other.height)
    is_close = abs(one.width - other.width) <= 2 * _SAME and abs(one.height - other.height) <= 2 * _SAME
    return share > 0.7 and (is_close or share < 1)


def _contains(one: Rect, other: Rect) -> bool:
    return one != other and one.meets(other) == other
