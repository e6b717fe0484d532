"""Walks the tree of a window level by level, so that a limit cuts off what is deep before what is near."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Basics, Elements, Origin
from handrail.features.desktop.platform import Node, Tree
from handrail.ports.errors import Gone

MOST_LEVELS = 1000
_MOST_NODES = 100_000

CacheItem = tuple[Any, ...]
"""Object, app, parent, index in the parent, number of children, interfaces, name, role, description, states."""


class Cache:
    """What an app says about all its objects in one answer. It may leave objects out."""

    def __init__(self, items: Sequence[CacheItem] = ()) -> None:
        self._items = {item[0]: item for item in items}
        self._children: dict[tuple[str, str], list[CacheItem]] = {}
        for item in items:
            self._children.setdefault(item[2], []).append(item)

    @classmethod
    async def of(cls, bus: AccessibilityBus, app: str) -> "Cache":
        answer = await bus.ask(Ref(app, calls.CACHE_PATH), calls.ITEMS)
        return cls() if isinstance(answer, Refused) else cls(answer[0])

    def basics(self, ref: Ref) -> Basics | None:
        item = self._items.get(ref)
        return Basics.of(item[6], item[7], item[9], item[5]) if item else None

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """In order, or None when not all of them are known."""
        item = self._items.get(ref)
        if item is None:
            return None
        known = self._children.get(ref, ())
        if len(known) != item[4]:
            return None
        in_order = sorted(known, key=lambda child: child[3])
        if any(child[3] != index for index, child in enumerate(in_order)):
            return None
        return [Ref(*child[0]) for child in in_order]


@dataclass(slots=True, eq=False)
class Place:
    """A place in the tree, also of a child that can't be read, so that indexes are the app's own."""

    ref: Ref
    parent: "Place | None" = None
    index: int = 0
    children: list["Place"] = field(default_factory=list)
    is_cut: bool = False

    @property
    def is_empty(self) -> bool:
        return self.ref.path == calls.NULL_PATH


async def walk(
    bus: AccessibilityBus,
    top: Ref,
    cache: Cache,
    *,
    max_depth: int = MOST_LEVELS,
    max_nodes: int = _MOST_NODES,
) -> list[Place]:
    """Every place once, the root first, then level after level; ends on trees that contain themselves."""
    root = Place(top)
    places, level, seen = [root], [root], {top}
    for depth in range(max_depth + 1):
        following: list[Place] = []
        for place, children in zip(level, await _children(bus, level, cache), strict=True):
            for index, ref in enumerate(children):
                if depth == max_depth or len(places) >= max_nodes:
                    place.is_cut = True
                    break
                child = Place(ref, place, index)
                place.children.append(child)
                places.append(child)
                if ref not in seen and not child.is_empty:
                    seen.add(ref)
                    following.append(child)
        if not following:
            break
        level = following
    return places


async def _children(bus: AccessibilityBus, level: Sequence[Place], cache: Cache) -> list[Sequence[Ref]]:
    hinted = [cache.children(place.ref) for place in level]
    asked = [place.ref for place, children in zip(level, hinted, strict=True) if children is None]
    answers = await bus.ask_each(asked, calls.CHILDREN)
    if len(level) == 1 and level[0].parent is None and answers and isinstance(answers[0], Refused):
        raise Gone("The window is gone.")
    listed = iter(answers)
    return [_listed(next(listed)) if children is None else children for children in hinted]


def _listed(answer: Any) -> list[Ref]:
    return [] if isinstance(answer, Refused) else [Ref(*child) for child in answer[0]]


async def read_tree(
    bus: AccessibilityBus, elements: Elements, top: Ref, origin: Origin, *, max_depth: int, max_nodes: int
) -> Tree:
    cache = await Cache.of(bus, top.name)
    places = await walk(bus, top, cache, max_depth=max_depth, max_nodes=max_nodes)
    read = await elements.of([place.ref for place in places], origin, cache.basics)
    if read[0] is None:
        raise Gone("The window is gone.")
    nodes: dict[Place, Node] = {}
    # From the deepest level up, because a chain of a thousand is a tree too.
    for place, element in zip(reversed(places), reversed(read), strict=True):
        children = tuple([nodes.pop(child) for child in place.children])
        nodes[place] = Node(element or elements.unreadable(place.ref), children, place.is_cut)
    return Tree(nodes[places[0]], len(places), any(place.is_cut for place in places))
