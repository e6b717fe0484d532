"""Numbers everything clickable in a window: its elements, or else boxes that are found in its picture."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from handrail.features.desktop.desktop_port import DesktopPort, Mark, Node, Rect, Window
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.pixel_marks import find_boxes
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
