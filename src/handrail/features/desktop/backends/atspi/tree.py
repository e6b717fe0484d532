"""Reads the tree of a window level by level, visible elements first, within limits."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import Ref
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.children import Children
from handrail.features.desktop.backends.atspi.elements import Elements, Origin, cached_basics
from handrail.features.desktop.desktop_port import Element, Node, Tree
from handrail.ports.errors import Gone

_MIN_SECONDS = 2.0
_SECONDS_PER_NODE = 0.0015
"""If an app takes longer, the tree has what was read by then."""


@dataclass(slots=True, eq=False)
class _Place:
    """A place in the tree. Children that can't be read have one too, so that indexes are the app's own."""

    ref: Ref
    depth: int = 0
    index: int = 0
    parent: "_Place | None" = None
    element: Element | None = None
    children: list["_Place"] = field(default_factory=list)
    is_cut: bool = False

    @property
    def is_shown(self) -> bool:
        return self.parent is None or (self.element is not None and "showing" in self.element.states)


class _TreeReader:
    def __init__(self, elements: Elements, children: Children, origin: Origin | None, cache: Cache) -> None:
        self._children = children
        self._elements = elements
        self._origin = origin
        self._cache = cache
        self._seen: set[Ref] = set()
        self.places: list[_Place] = []

    async def read(self, top: Ref, max_depth: int, max_nodes: int) -> _Place:
        root = _Place(top)
        unread, hidden = [root], list[_Place]()
        self.places.append(root)
        until = time.monotonic() + _MIN_SECONDS + max_nodes * _SECONDS_PER_NODE
        while unread or hidden:
            if time.monotonic() > until:
                self._drop_unread(unread, hidden)
                break
            await self._read(unread)
            expanded = [place for place in unread if place.is_shown]
            hidden += [place for place in unread if not place.is_shown]
            if not unread:
                expanded, hidden = hidden, []
            unread = await self._expand(expanded, max_depth, max_nodes)
        return root

    async def _read(self, places: Sequence[_Place]) -> None:
        cached = partial(cached_basics, self._cache)
        elements = await self._elements.of([place.ref for place in places], self._origin, cached, is_view=True)
        for place, element in zip(places, elements, strict=True):
            place.element = element

    async def _expand(self, places: Sequence[_Place], max_depth: int, max_nodes: int) -> list[_Place]:
        """Returns the unread children of these places."""
        next_places: list[_Place] = []
        new_places = [place for place in places if self._is_new(place)]
        for place, child_list in zip(
            new_places, await self._children.of([place.ref for place in new_places], self._cache), strict=True
        ):
            if child_list is None:
                if place.parent is None:
                    raise Gone("The window is gone.")
                continue
            place.is_cut = child_list.is_partial
            for child in child_list.children:
                if place.depth == max_depth or len(self.places) >= max_nodes:
                    place.is_cut = True
                    break
                child_place = _Place(child.ref, place.depth + 1, child.at, place)
                place.children.append(child_place)
                self.places.append(child_place)
                next_places.append(child_place)
        return next_places

    def _is_new(self, place: _Place) -> bool:
        """Returns False for what was expanded already: some trees contain themselves."""
        if place.ref in self._seen or place.ref.path == calls.NULL_PATH:
            return False
        self._seen.add(place.ref)
        return True

    def _drop_unread(self, unread: Sequence[_Place], hidden: Sequence[_Place]) -> None:
        for place in unread:
            if place.parent is not None:
                place.parent.children.remove(place)
                place.parent.is_cut = True
        for place in hidden:
            place.is_cut = True
        dropped = set(unread)
        self.places = [place for place in self.places if place not in dropped]


async def read_tree(
    elements: Elements, children: Children, top: Ref, origin: Origin | None, *, max_depth: int, max_nodes: int
) -> Tree:
    reader = _TreeReader(elements, children, origin, await children.cache(top.name))
    root = await reader.read(top, max_depth, max_nodes)
    if root.element is None:
        raise Gone("The window is gone.")
    nodes: dict[_Place, Node] = {}
    # from the deepest level up, without recursion: a chain of a thousand levels is a valid tree
    for place in sorted(reader.places, key=lambda place: -place.depth):
        below = tuple([nodes.pop(child) for child in place.children])
        element = place.element or elements.unreadable(place.ref)
        nodes[place] = Node(element, below, place.is_cut, place.index)
    return Tree(nodes[root], len(reader.places), any(place.is_cut for place in reader.places))
