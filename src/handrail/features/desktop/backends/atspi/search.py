"""Walks the tree of a window, and finds elements in it with the path to each of them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Basics, Elements, Origin
from handrail.features.desktop.platform import Element, Found, Node, Query, Tree
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
        known = sorted(self._children.get(ref, ()), key=lambda child: child[3])
        # GTK 3 gives -1 as the number of children that it does not count.
        is_complete = len(known) == item[4] and all(child[3] == index for index, child in enumerate(known))
        return [Ref(*child[0]) for child in known] if is_complete else None


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
    bus: AccessibilityBus, top: Ref, cache: Cache, *, max_depth: int = MOST_LEVELS, max_nodes: int = _MOST_NODES
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
    listed = iter([[] if isinstance(answer, Refused) else [Ref(*child) for child in answer[0]] for answer in answers])
    return [next(listed) if children is None else children for children in hinted]


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


Step = tuple[Ref, int]
"""The parent, and the index in it."""
Path = tuple[tuple[Ref, ...], tuple[int, ...]]
"""The ancestors from the window down, and the index of each step."""
_OUTSIDE = frozenset((calls.ROOT_PATH, calls.NULL_PATH))


class Search:
    """The app itself searches by role where it can; elsewhere the tree is walked. Only matches are read as a whole."""

    def __init__(self, bus: AccessibilityBus, elements: Elements) -> None:
        self._bus = bus
        self._elements = elements

    async def find(self, top: Ref, origin: Origin, query: Query) -> list[Found]:
        wanted = None if query.role is None else roles.numbers(query.role)
        if wanted is not None and not wanted:
            return []
        candidates = await self._candidates(top, wanted)
        if query.title_contains:
            needle = query.title_contains.lower()
            candidates = await self._where(candidates, calls.NAME, lambda name: needle in name.value.lower())
        if query.value_contains:
            read = zip(candidates, await self._elements.of(candidates, only_values=True), strict=True)
            candidates = [ref for ref, element in read if element and _is_match(element, query)]
        read = zip(candidates, await self._elements.of(candidates, origin), strict=True)
        matches = [(ref, element) for ref, element in read if element and _is_match(element, query)]
        return await self._placed(top, origin, matches)

    async def _candidates(self, top: Ref, wanted: Collection[int] | None) -> list[Ref]:
        """Elements of the wanted roles, and perhaps the window itself."""
        first = [top] if wanted is None or not roles.WINDOWS.isdisjoint(wanted) else []
        if wanted is None or max(wanted) < roles.BITMAP_ROLES:
            answer = await self._bus.ask(top, calls.matches(wanted or ()))
            if not isinstance(answer, Refused):
                return list(dict.fromkeys([*first, *(Ref(*ref) for ref in answer[0])]))
        every = [place.ref for place in await walk(self._bus, top, Cache()) if not place.is_empty]
        return every if wanted is None else await self._where(every, calls.ROLE, lambda role: role in wanted)

    async def _where(self, refs: Sequence[Ref], call: Call, is_wanted: Callable[[Any], bool]) -> list[Ref]:
        answers = await self._bus.ask_each(refs, call)
        return [
            ref
            for ref, answer in zip(refs, answers, strict=True)
            if not isinstance(answer, Refused) and is_wanted(answer[0])
        ]

    async def _placed(self, top: Ref, origin: Origin, matches: Sequence[tuple[Ref, Element]]) -> list[Found]:
        """In the order of the tree."""
        paths = await self._paths(top, [ref for ref, _ in matches])
        above = dict(matches)
        missing = [ref for ref in dict.fromkeys(ref for refs, _ in paths for ref in refs) if ref not in above]
        for ref, element in zip(missing, await self._elements.of(missing, origin), strict=True):
            above[ref] = element or self._elements.unreadable(ref)
        found = [
            Found(element, tuple(above[ref] for ref in refs), path)
            for (_, element), (refs, path) in zip(matches, paths, strict=True)
        ]
        return sorted(found, key=lambda one: one.path)

    async def top_of(self, ref: Ref) -> Ref:
        """The window of an element, as far as its ancestors are known."""
        steps = await self._steps([ref], None)
        for _ in range(MOST_LEVELS):
            if ref not in steps or steps[ref][0].path in _OUTSIDE:
                break
            ref = steps[ref][0]
        return ref

    async def _paths(self, top: Ref, refs: Sequence[Ref]) -> list[Path]:
        steps = await self._steps(refs, top)
        paths = [_path(ref, top, steps) for ref in refs]
        if None in paths:
            # Some apps name a parent that does not list the child: only a walk from above finds the path then.
            places = await walk(self._bus, top, Cache())
            steps = {place.ref: (place.parent.ref, place.index) for place in reversed(places) if place.parent}
            paths = [path or _path(ref, top, steps) for ref, path in zip(refs, paths, strict=True)]
        return [path or ((top,), ()) for path in paths]

    async def _steps(self, refs: Iterable[Ref], top: Ref | None) -> Mapping[Ref, Step]:
        """The parents of these up to `top`, with one round of calls a level."""
        steps: dict[Ref, Step] = {}
        level = [ref for ref in dict.fromkeys(refs) if ref != top]
        for _ in range(MOST_LEVELS):
            if not level:
                break
            parents = await self._bus.ask_each(level, calls.PARENT)
            indexes = await self._bus.ask_each(level, calls.INDEX)
            for ref, parent, index in zip(level, parents, indexes, strict=True):
                if not isinstance(parent, Refused) and not isinstance(index, Refused):
                    steps[ref] = (Ref(*parent[0].value), index[0])
            above = dict.fromkeys(steps[ref][0] for ref in level if ref in steps)
            level = [ref for ref in above if ref not in steps and ref != top and ref.path not in _OUTSIDE]
        return steps


def _is_match(element: Element, query: Query) -> bool:
    return (
        (query.role is None or roles.is_called(element.native_role, element.role, query.role))
        and (not query.title_contains or query.title_contains.lower() in element.title.lower())
        and (not query.value_contains or query.value_contains.lower() in (element.value or "").lower())
    )


def _path(ref: Ref, top: Ref, steps: Mapping[Ref, Step]) -> Path | None:
    """None when the steps don't lead to the top."""
    ancestors: list[Ref] = []
    path: list[int] = []
    while ref != top:
        step = steps.get(ref)
        if step is None or step[1] < 0 or len(path) > MOST_LEVELS:
            return None
        ref, index = step
        ancestors.append(ref)
        path.append(index)
    return tuple(reversed(ancestors)), tuple(reversed(path))
