"""Numbers everything clickable in a window: its elements, or else boxes that are found in its picture."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from handrail.features.desktop.desktop_port import DesktopPort, Mark, Node, Rect, Window
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.refs import ElementRefs, frame_to_wire

_MAX_DEPTH, _MAX_NODES = 100, 2_000
_MAX_MARKS = 200
_MIN_PIXELS = 6
_CONTAINERS = frozenset({"AXWindow", "AXGroup", "AXTable", "AXOutline", "AXList", "AXScrollArea", "AXMenuBar"})


async def number_clickable_places(desktop: DesktopPort, refs: ElementRefs, window: Window) -> list[Mark]:
    if window.frame is None:
        return []
    if not window.is_readable:
        shot = await screenshots.take_screenshot(desktop, window.frame, cropped=window.frame)
        area = shot.area
        if not shot.crop or area != window.frame:
            return []  # not all of it is on the screen
        boxes = await asyncio.to_thread(find_boxes, shot.crop, area.width, area.height)
        places = [Rect(area.x + box.x, area.y + box.y, box.width, box.height) for box in boxes]
        return [Mark(refs.mark(window, place), place) for place in places[:_MAX_MARKS]]
    tree = await desktop.tree(window, max_depth=_MAX_DEPTH, max_nodes=_MAX_NODES)
    elements = list(_clickable(tree.root, window.frame))[:_MAX_MARKS]
    return [Mark(int(refs.name(window, node.element).removeprefix("e:")), frame) for node, frame in elements]


def marks_to_wire(refs: ElementRefs, marks: Sequence[Mark]) -> list[dict[str, Any]]:
    return [
        {"mark": number, "elementId": f"e:{number}"}
        if refs.picture_mark(number) is None
        else {"mark": number, "frame": frame_to_wire(frame)}
        for number, frame in marks
    ]


def _clickable(node: Node, window_frame: Rect) -> Iterator[tuple[Node, Rect]]:
    """Yields nodes that do something, with the visible part of their frames."""
    element = node.element
    visible = element.frame.intersection(window_frame) if element.frame is not None else None
    is_actable = bool(element.actions) or "editable" in element.states
    if (
        is_actable
        and visible is not None
        and min(visible.width, visible.height) >= _MIN_PIXELS
        and "showing" in element.states
        and element.role not in _CONTAINERS
    ):
        yield node, visible
    for child in node.children:
        yield from _clickable(child, window_frame)


_BYTES_PER_PIXEL = 4
_GREEN = 1
_SHADES = bytes(value >> 3 for value in range(256))
"""Merges similar shades, because themes fill buttons with gradients."""
_IS_EDGE = b"\0" + b"\1" * 255
_MIN_WIDTH, _MAX_WIDTH = 14, 600
_MIN_HEIGHT, _MAX_HEIGHT = 12, 90
_CORNER = 6
"""Pixels that a rounded corner may take from a side."""
_SIDE_SHARE = 0.6
_MAX_GAP = 1
"""Pixels without an edge on a side, beside its corners."""
_MAX_BUTTON_HEIGHT = 48
_MAX_BOXES = 400
_CLOSE_PIXELS = 8
_RUNS = re.compile(rb"\x01{%d,}" % (_MIN_WIDTH - 2))


class _Run(NamedTuple):
    y: int
    left: int
    right: int


def find_boxes(bgrx: bytes, width: int, height: int) -> list[Rect]:
    """Returns boxes in reading order, in the picture's own pixels."""
    shades = bytes(bgrx[_GREEN::_BYTES_PER_PIXEL]).translate(_SHADES)
    across, down = _edges(shades, width), _edges(shades, 1)
    candidates = [
        box for top, bottom in _edge_pairs(across, width, height) if (box := _box_between(top, bottom, down, width))
    ]
    outermost: list[Rect] = []
    # Of nested boxes (a frame, the button, its focus ring), keep the outermost.
    for box in sorted(set(candidates), key=lambda box: (-box.width * box.height, box.y, box.x)):
        if not any(_is_duplicate(box, other) for other in outermost):
            outermost.append(box)
    result = [box for box in outermost if sum(_contains(box, other) for other in outermost) < 3]
    return sorted(result, key=lambda box: (box.y // 12, box.x))[:_MAX_BOXES]


def _edges(shades: bytes, distance: int) -> bytes:
    """Returns 1 for each pixel that differs from the one `distance` further on."""
    pixels, shifted_pixels = shades[:-distance], shades[distance:]
    differing = int.from_bytes(pixels, "little") ^ int.from_bytes(shifted_pixels, "little")
    return differing.to_bytes(len(pixels), "little").translate(_IS_EDGE)


def _edge_pairs(across: bytes, width: int, height: int) -> list[tuple[_Run, _Run]]:
    """Pairs horizontal edges that lie above each other and start and end at nearly the same x."""
    above: dict[int, list[_Run]] = defaultdict(list)
    pairs: list[tuple[_Run, _Run]] = []
    for y in range(height - 1):
        row = across[y * width : (y + 1) * width]
        for match in _RUNS.finditer(row):
            run = _Run(y, match.start(), match.end())
            if run.right - run.left > _MAX_WIDTH:
                continue
            key = run.left // _CORNER
            for nearby_key in (key - 1, key, key + 1):
                pairs += [(top, run) for top in above[nearby_key] if _are_box_sides(top, run)]
            above[key] = [top for top in above[key] if y - top.y <= _MAX_HEIGHT] + [run]
    return pairs


def _are_box_sides(top: _Run, bottom: _Run) -> bool:
    return (
        _MIN_HEIGHT <= bottom.y - top.y <= _MAX_HEIGHT
        and abs(top.left - bottom.left) <= _CORNER
        and abs(top.right - bottom.right) <= _CORNER
    )


def _box_between(top: _Run, bottom: _Run, down: bytes, width: int) -> Rect | None:
    """Returns None if a side has a gap, as between two buttons."""
    left, right = min(top.left, bottom.left), max(top.right, bottom.right)
    rows = range(top.y + 1, bottom.y + 1)
    for side in (left, right):
        columns = [max(side - _CORNER // 2, 0), min(side + _CORNER // 2, width - 1)]
        with_edge = [1 in down[y * width + columns[0] : y * width + columns[1]] for y in rows]
        if sum(with_edge) < len(rows) * _SIDE_SHARE or with_edge[_CORNER // 2 : -_CORNER // 2].count(False) > _MAX_GAP:
            return None
    return Rect(left, top.y + 1, right - left, bottom.y - top.y)


def _is_duplicate(one: Rect, other: Rect) -> bool:
    """One lies closely around the other, is a step of its gradient, or both overlap for the most part."""
    overlap = one.intersection(other)
    if overlap is None:
        return False
    if other.height <= _MAX_BUTTON_HEIGHT and overlap == one and abs(one.width - other.width) <= _CLOSE_PIXELS:
        return True
    share = overlap.width * overlap.height / min(one.width * one.height, other.width * other.height)
    is_close = abs(one.width - other.width) <= 2 * _CLOSE_PIXELS and abs(one.height - other.height) <= 2 * _CLOSE_PIXELS
    return share > 0.7 and (is_close or share < 1)


def _contains(one: Rect, other: Rect) -> bool:
    return one != other and one.intersection(other) == other
