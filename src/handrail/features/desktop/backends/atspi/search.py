"""Finds elements in a window, with the path to each of them."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.children import Children, has_huge_container
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements, Origin, cached_basics
from handrail.features.desktop.desktop_port import Element, LocatedElement, Query
from handrail.ports.errors import Gone, Timeout

MAX_LEVELS = 1000
_MAX_NODES = 100_000
_MAX_SECONDS = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class TreePlace:
    """A place in the tree. Children that can't be read have one too, so that indexes are the app's own."""

    ref: Ref
    parent: "TreePlace | None" = None
    index: int = 0

    @property
    def is_empty(self) -> bool:
        return self.ref.path == calls.NULL_PATH


async def walk(children: Children, top: Ref, cache: Cache) -> list[TreePlace]:
    """Visits every place once, level by level. Also ends for trees that contain themselves.

    Timeout for a window with too many elements.
    """
    places = level = [TreePlace(top)]
    visited = {top}
    until = time.monotonic() + _MAX_SECONDS
    for _ in range(MAX_LEVELS):
        next_level: list[TreePlace] = []
        for place, child_list in zip(level, await children.of([place.ref for place in level], cache), strict=True):
            if child_list is None:
                if place.parent is None:
                    raise Gone("The window is gone.")
                continue
            below = [TreePlace(child.ref, place, child.at) for child in child_list.children]
            places = [*places, *below]
            next_level += [one for one in below if not one.is_empty and one.ref not in visited]
            visited.update(one.ref for one in below)
        if not next_level:
            return places
        if len(places) > _MAX_NODES or time.monotonic() > until:
            raise Timeout("The window has too many elements to search all of them.", hint="Name a role to look for.")
        level = next_level
    return places


Step = tuple[Ref, int]
"""The parent, and the index in it."""
Path = tuple[tuple[Ref, ...], tuple[int, ...]]
"""The ancestors from the window down, and the index of each step."""
_OUTSIDE_PATHS = frozenset((calls.ROOT_PATH, calls.NULL_PATH))


class Search:
    """Lets the app search by role if it can; otherwise walks the tree. Only matches are read completely."""

    def __init__(self, bus: AccessibilityBus, elements: Elements, children: Children) -> None:
        self._bus = bus
        self._elements = elements
        self._children = children
        self._is_qt: dict[str, bool] = {}

    async def find(self, top: Ref, origin: Origin | None, query: Query) -> list[LocatedElement]:
        wanted_roles = None if query.role is None else roles.roles_named(query.role)
        if wanted_roles is not None and not wanted_roles:
            return []
        candidates, steps, cache = await self._candidates(top, wanted_roles)
        cached = partial(cached_basics, cache)
        if query.title_contains:
            needle = query.title_contains.lower()
            matching = {ref for ref in candidates if (basics := cached(ref)) and needle in basics.title.lower()}
            uncached = [ref for ref in candidates if cached(ref) is None]
            matching.update(await self._where(uncached, calls.NAME, lambda name: needle in name.value.lower()))
            candidates = [ref for ref in candidates if ref in matching]
        if query.value_contains:
            read = zip(candidates, await self._elements.of(candidates, cached=cached, only_values=True), strict=True)
            candidates = [ref for ref, element in read if element and _is_match(element, query)]
        read = zip(candidates, await self._elements.of(candidates, origin, cached), strict=True)
        matches = [(ref, element) for ref, element in read if element and _is_match(element, query)]
        return await self._with_paths(top, origin, matches, steps)

    async def _candidates(
        self, top: Ref, wanted_roles: Collection[int] | None
    ) -> tuple[list[Ref], Mapping[Ref, Step] | None, Cache]:
        """Returns elements of these roles, perhaps with the window itself, their parents, and what is known of them."""
        first = [top] if wanted_roles is None or not roles.WINDOWS.isdisjoint(wanted_roles) else []
        if (wanted_roles is None or max(wanted_roles) < roles.BITMAP_ROLES) and not await self._has_huge_container(top):
            answer = await self._bus.ask(top, calls.matches(wanted_roles or ()))
            if not isinstance(answer, Refused):
                return list(dict.fromkeys([*first, *(Ref(*ref) for ref in answer[0])])), None, Cache()
        cache = await self._children.cache(top.name)
        places = await walk(self._children, top, cache)
        steps = _steps_of(places)
        all_refs = list(dict.fromkeys(place.ref for place in places if not place.is_empty))
        if wanted_roles is None:
            return all_refs, steps, cache
        cached_roles = {ref: basics.role for ref in all_refs if (basics := cached_basics(cache, ref)) is not None}
        uncached = [ref for ref in all_refs if ref not in cached_roles]
        matching = {ref for ref, role in cached_roles.items() if role in wanted_roles}
        matching.update(await self._where(uncached, calls.ROLE, lambda role: role in wanted_roles))
        return [ref for ref in all_refs if ref in matching], steps, cache

    async def _has_huge_container(self, top: Ref) -> bool:
        if top.name not in self._is_qt:
            toolkit = await self._bus.ask(Ref(top.name, calls.ROOT_PATH), calls.TOOLKIT)
            self._is_qt[top.name] = not isinstance(toolkit, Refused) and str(toolkit[0].value).lower().startswith("qt")
        return await has_huge_container(self._bus, top, is_qt=self._is_qt[top.name])

    async def _where(self, refs: Sequence[Ref], call: Call, is_wanted: Callable[[Any], bool]) -> list[Ref]:
        answers = await self._bus.ask_each(refs, call)
        return [
            ref
            for ref, answer in zip(refs, answers, strict=True)
            if not isinstance(answer, Refused) and is_wanted(answer[0])
        ]

    async def _with_paths(
        self,
        top: Ref,
        origin: Origin | None,
        matches: Sequence[tuple[Ref, Element]],
        steps: Mapping[Ref, Step] | None,
    ) -> list[LocatedElement]:
        """Adds the paths, and sorts in tree order."""
        paths = await self._paths(top, [ref for ref, _ in matches], steps)
        above = dict(matches)
        ancestors = [ref for ref in dict.fromkeys(ref for refs, _ in paths for ref in refs) if ref not in above]
        for ref, element in zip(ancestors, await self._elements.of(ancestors, origin), strict=True):
            above[ref] = element or self._elements.unreadable(ref)
        elements = [
            LocatedElement(element, tuple(above[ref] for ref in refs), path)
            for (_, element), (refs, path) in zip(matches, paths, strict=True)
        ]
        return sorted(elements, key=lambda one: one.path)

    async def top_of(self, ref: Ref) -> Ref:
        """Returns the window of an element, as far as its ancestors are known."""
        steps = await self._steps([ref], None)
        for _ in range(MAX_LEVELS):
            if ref not in steps or steps[ref][0].path in _OUTSIDE_PATHS:
                break
            ref = steps[ref][0]
        return ref

    async def _paths(self, top: Ref, refs: Sequence[Ref], known_steps: Mapping[Ref, Step] | None) -> list[Path]:
        steps = await self._steps(refs, top) if known_steps is None else known_steps
        paths = [_path(ref, top, steps) for ref in refs]
        if None in paths and known_steps is None:
            # Some apps report a parent that does not list the child; then only a walk from the window finds the path.
            steps = _steps_of(await walk(self._children, top, Cache()))
            paths = [path or _path(ref, top, steps) for ref, path in zip(refs, paths, strict=True)]
        return [path or ((top,), ()) for path in paths]

    async def _steps(self, refs: Iterable[Ref], top: Ref | None) -> Mapping[Ref, Step]:
        """Returns the parents up to `top`, with one round of calls per level."""
        steps: dict[Ref, Step] = {}
        level = [ref for ref in dict.fromkeys(refs) if ref != top]
        for _ in range(MAX_LEVELS):
            if not level:
                break
            parents = await self._bus.ask_each(level, calls.PARENT)
            indexes = await self._bus.ask_each(level, calls.INDEX)
            for ref, parent, index in zip(level, parents, indexes, strict=True):
                if not isinstance(parent, Refused) and not isinstance(index, Refused):
                    steps[ref] = (Ref(*parent[0].value), index[0])
            above = dict.fromkeys(steps[ref][0] for ref in level if ref in steps)
            level = [ref for ref in above if ref not in steps and ref != top and ref.path not in _OUTSIDE_PATHS]
        return steps


def _steps_of(places: Sequence[TreePlace]) -> Mapping[Ref, Step]:
    return {place.ref: (place.parent.ref, place.index) for place in reversed(places) if place.parent}


def _is_match(element: Element, query: Query) -> bool:
    return (
        (query.role is None or roles.has_name(element.native_role, element.role, query.role))
        and (not query.title_contains or query.title_contains.lower() in element.title.lower())
        and (not query.value_contains or query.value_contains.lower() in (element.value or "").lower())
    )


def _path(ref: Ref, top: Ref, steps: Mapping[Ref, Step]) -> Path | None:
    """Returns None if the steps don't lead to the top."""
    ancestors: list[Ref] = []
    path: list[int] = []
    while ref != top:
        step = steps.get(ref)
        if step is None or step[1] < 0 or len(path) > MAX_LEVELS:
            return None
        ref, index = step
        ancestors.append(ref)
        path.append(index)
    return tuple(reversed(ancestors)), tuple(reversed(path))
