"""Decides which of several elements a selector means: filters and ranking."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.features.desktop.desktop_port import Element, LocatedElement, Node, Rect
from handrail.features.desktop.host.params import Anchor, Box, Near, Selector

_PARTIAL_MATCH = 3


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The element of an anchor, and what counts as near it."""

    anchor: LocatedElement
    near: Near

    def distance(self, candidate: LocatedElement) -> float | None:
        """Returns the gap between the edges; None if it is too far away, the anchor, or around it."""
        frame, anchor = _placed_frame(candidate.element), self.anchor.element.frame
        if frame is None or anchor is None or candidate.element.handle in self._excluded():
            return None
        if self.near.direction is not None and not _lies_in_direction(frame, self.near.direction, anchor):
            return None
        gap = math.hypot(
            max(anchor.x - (frame.x + frame.width), frame.x - (anchor.x + anchor.width), 0),
            max(anchor.y - (frame.y + frame.height), frame.y - (anchor.y + anchor.height), 0),
        )
        return gap if gap <= self.near.max_distance else None

    def _excluded(self) -> set[str]:
        return {self.anchor.element.handle, *(element.handle for element in self.anchor.ancestors)}


def rank_matches(
    candidates: Sequence[LocatedElement], selector: Selector, neighbourhood: Neighbourhood | None = None
) -> Sequence[LocatedElement]:
    """Returns matches, the best first: exact title, then visible, enabled, near, small; then in tree order."""
    box = _rect(selector.by_rect)
    scored = []
    for order, candidate in enumerate(candidates):
        if not matches_selector(candidate.element, selector) or (
            box is not None and not _has_center_in(_placed_frame(candidate.element), box)
        ):
            continue
        distance = 0.0 if neighbourhood is None else neighbourhood.distance(candidate)
        if distance is None:
            continue
        # A rectangle means the innermost element there, not the containers around it.
        area = _area(candidate.element.frame) if selector.by_rect is not None else 0
        scored.append(((*_score(candidate.element, selector), distance, area, order), candidate))
    scored.sort(key=lambda pair: pair[0])
    return [candidate for _, candidate in scored]


def choose_anchor(candidates: Sequence[LocatedElement], anchor: Anchor) -> LocatedElement | None:
    """Chooses the best anchor among elements that are on the screen."""
    anchors = [
        candidate
        for candidate in candidates
        if _placed_frame(candidate.element) is not None and matches_selector(candidate.element, anchor)
    ]
    return min(anchors, key=lambda candidate: _score(candidate.element, anchor), default=None)


def matches_selector(element: Element, criteria: Selector | Anchor) -> bool:
    role = criteria.by_role
    if role is not None and role.casefold() not in (element.role.casefold(), element.native_role.casefold()):
        return False
    return _contains(element.title, criteria.title_contains) and _contains(element.value or "", criteria.value_contains)


def is_visible(element: Element) -> bool:
    return "showing" in element.states and _placed_frame(element) is not None


def is_enabled(element: Element) -> bool:
    return not element.states.isdisjoint({"enabled", "sensitive"})


def flatten(root: Node) -> list[LocatedElement]:
    """Lists the elements of a tree in tree order: first the window itself, with an empty path."""
    elements: list[LocatedElement] = []
    unvisited: list[tuple[Node, tuple[Element, ...], tuple[int, ...]]] = [(root, (), ())]
    while unvisited:
        node, ancestors, path = unvisited.pop()
        elements.append(LocatedElement(node.element, ancestors, path))
        child_ancestors = (*ancestors, node.element)
        for position, child in reversed(list(enumerate(node.children))):
            unvisited.append((child, child_ancestors, (*path, position if child.index is None else child.index)))
    return elements


def _score(element: Element, criteria: Selector | Anchor) -> tuple[int, bool, bool]:
    title = max(_rank(element.title, criteria.title_contains), _rank(element.value or "", criteria.value_contains))
    return title, not is_visible(element), not is_enabled(element)


def _rank(text: str, needle: str | None) -> int:
    if needle is None or text == needle:
        return 0
    text, needle = text.strip().casefold(), needle.strip().casefold()
    return 1 if text == needle else 2 if text.startswith(needle) else _PARTIAL_MATCH


def _contains(text: str, needle: str | None) -> bool:
    return needle is None or needle.casefold() in text.casefold()


def _lies_in_direction(frame: Rect, direction: str, anchor: Rect) -> bool:
    """Compares the center, so that borders may touch."""
    x, y = frame.center
    return {
        "above": y < anchor.y,
        "below": y >= anchor.y + anchor.height,
        "left": x < anchor.x,
        "right": x >= anchor.x + anchor.width,
    }[direction]


def _placed_frame(element: Element) -> Rect | None:
    """Returns the frame; None if it is missing or empty."""
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
