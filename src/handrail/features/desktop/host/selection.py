"""Which of several elements a selector means: filters and ranking. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.features.desktop.host.params import Anchor, Box, Near, Selector
from handrail.features.desktop.platform import Element, Found, Node, Rect

_NAMELESS = 3


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An anchor that was found, and what counts as near it."""

    anchor: Found
    near: Near

    def distance(self, found: Found) -> float | None:
        """From edge to edge; None if it is too far away, is the anchor itself or contains it."""
        frame, anchor = _place(found.element), self.anchor.element.frame
        if frame is None or anchor is None or found.element.handle in self._excluded():
            return None
        if self.near.direction is not None and not _lies(frame, self.near.direction, anchor):
            return None
        gap = math.hypot(
            max(anchor.x - (frame.x + frame.width), frame.x - (anchor.x + anchor.width), 0),
            max(anchor.y - (frame.y + frame.height), frame.y - (anchor.y + anchor.height), 0),
        )
        return gap if gap <= self.near.max_distance else None

    def _excluded(self) -> set[str]:
        return {self.anchor.element.handle, *(element.handle for element in self.anchor.ancestors)}


def ranked(
    candidates: Sequence[Found], selector: Selector, neighbourhood: Neighbourhood | None = None
) -> Sequence[Found]:
    """Matches, the best first: by exact title, then visible, enabled, near, small; then in tree order."""
    box = _rect(selector.by_rect)
    scored = []
    for order, found in enumerate(candidates):
        if not fits(found.element, selector) or (box is not None and not _has_center_in(_place(found.element), box)):
            continue
        distance = 0.0 if neighbourhood is None else neighbourhood.distance(found)
        if distance is None:
            continue
        # A place alone means the innermost element that is there, and not the containers around it.
        area = _area(found.element.frame) if selector.by_rect is not None else 0
        scored.append(((*_score(found.element, selector), distance, area, order), found))
    scored.sort(key=lambda pair: pair[0])
    return [found for _, found in scored]


def best_anchor(candidates: Sequence[Found], anchor: Anchor) -> Found | None:
    """Only what has a place can be an anchor."""
    placed = [found for found in candidates if _place(found.element) is not None and fits(found.element, anchor)]
    return min(placed, key=lambda found: _score(found.element, anchor), default=None)


def fits(element: Element, wanted: Selector | Anchor) -> bool:
    role = wanted.by_role
    if role is not None and role.casefold() not in (element.role.casefold(), element.native_role.casefold()):
        return False
    return _holds(element.title, wanted.title_contains) and _holds(element.value or "", wanted.value_contains)


def is_visible(element: Element) -> bool:
    return "showing" in element.states and _place(element) is not None


def is_enabled(element: Element) -> bool:
    return not element.states.isdisjoint({"enabled", "sensitive"})


def flattened(root: Node) -> list[Found]:
    """A tree as a list of `Found`: the window itself first, with an empty path."""
    flat: list[Found] = []
    waiting: list[tuple[Node, tuple[Element, ...], tuple[int, ...]]] = [(root, (), ())]
    while waiting:
        node, ancestors, path = waiting.pop()
        flat.append(Found(node.element, ancestors, path))
        below = (*ancestors, node.element)
        for place, child in reversed(list(enumerate(node.children))):
            waiting.append((child, below, (*path, place if child.index is None else child.index)))
    return flat


def _score(element: Element, wanted: Selector | Anchor) -> tuple[int, bool, bool]:
    title = max(_rank(element.title, wanted.title_contains), _rank(element.value or "", wanted.value_contains))
    return title, not is_visible(element), not is_enabled(element)


def _rank(text: str, wanted: str | None) -> int:
    if wanted is None or text == wanted:
        return 0
    text, wanted = text.strip().casefold(), wanted.strip().casefold()
    return 1 if text == wanted else 2 if text.startswith(wanted) else _NAMELESS


def _holds(text: str, wanted: str | None) -> bool:
    return wanted is None or wanted.casefold() in text.casefold()


def _lies(frame: Rect, direction: str, anchor: Rect) -> bool:
    """By its centre, so that borders may touch."""
    x, y = frame.center
    return {
        "above": y < anchor.y,
        "below": y >= anchor.y + anchor.height,
        "left": x < anchor.x,
        "right": x >= anchor.x + anchor.width,
    }[direction]


def _place(element: Element) -> Rect | None:
    """Its frame; None if it is empty."""
    frame = element.frame
    return frame if frame is not None and frame.width > 0 and frame.height > 0 else None


def _rect(box: Box | None) -> Rect | None:
    return None if box is None else Rect(box.x, box.y, box.width, box.height)


def _has_center_in(frame: Rect | None, box: Rect) -> bool:
    if frame is None:
        return False
    x, y = frame.center
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height


def _area(frame: Rect | None) -> int:
    return 0 if frame is None else frame.width * frame.height
