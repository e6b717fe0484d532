"""Numbers for what can be clicked in a window: those of its elements, or of boxes in its picture."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from handrail.features.desktop.host import screen_picture
from handrail.features.desktop.host.pixel_marks import boxes
from handrail.features.desktop.host.refs import ElementRefs, spelled_frame
from handrail.features.desktop.platform import Desktop, Mark, Node, Rect, Window

_DEPTH, _NODES = 100, 2_000
_MOST_MARKS = 200
_LEAST = 6
_CONTAINERS = frozenset({"AXWindow", "AXGroup", "AXTable", "AXOutline", "AXList", "AXScrollArea", "AXMenuBar"})


async def marks(desktop: Desktop, refs: ElementRefs, window: Window) -> list[Mark]:
    if window.frame is None:
        return []
    if not window.is_readable:
        shot = await screen_picture.take(desktop, window.frame, cropped=window.frame)
        area = shot.area
        if not shot.crop or area != window.frame:
            return []  # not all of it is on the screen
        found = await asyncio.to_thread(boxes, shot.crop, area.width, area.height)
        places = [Rect(area.x + box.x, area.y + box.y, box.width, box.height) for box in found]
        return [Mark(refs.mark(window, place), place) for place in places[:_MOST_MARKS]]
    tree = await desktop.tree(window, max_depth=_DEPTH, max_nodes=_NODES)
    clickable = list(_clickable(tree.root, window.frame))[:_MOST_MARKS]
    return [Mark(int(refs.name(window, node.element).removeprefix("e:")), frame) for node, frame in clickable]


def spelled(refs: ElementRefs, marks: Sequence[Mark]) -> list[dict[str, Any]]:
    return [
        {"mark": number, "elementId": f"e:{number}"}
        if refs.spot(number) is None
        else {"mark": number, "frame": spelled_frame(frame)}
        for number, frame in marks
    ]


def _clickable(node: Node, seen: Rect) -> Iterator[tuple[Node, Rect]]:
    """What can be seen of what does something."""
    element = node.element
    visible = element.frame.meets(seen) if element.frame is not None else None
    does_something = bool(element.actions) or "editable" in element.states
    if (
        does_something
        and visible is not None
        and min(visible.width, visible.height) >= _LEAST
        and "showing" in element.states
        and element.role not in _CONTAINERS
    ):
        yield node, visible
    for child in node.children:
        yield from _clickable(child, seen)
