"""The way from elements up to their window: ancestors, and the index of each among its siblings."""

from collections.abc import Iterable, Mapping, Sequence

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Hints
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.origins import Origin
from handrail.features.desktop.backends.atspi.shape import MOST_LEVELS, walked
from handrail.features.desktop.platform import Element, Found

Step = tuple[Ref, int]
"""The parent, and the index in it."""

Way = tuple[tuple[Ref, ...], tuple[int, ...]]
"""The ancestors from the window down, and the path."""


class Lineage:
    def __init__(self, bus: AccessibilityBus, elements: Elements) -> None:
        self._bus = bus
        self._elements = elements

    async def placed(self, top: Ref, origin: Origin, matches: Sequence[tuple[Ref, Element]]) -> list[Found]:
        """In the order of the tree."""
        ways = await self._ways(top, [ref for ref, _ in matches])
        above = dict(matches)
        missing = [ref for ref in dict.fromkeys(ref for refs, _ in ways for ref in refs) if ref not in above]
        for ref, element in zip(missing, await self._elements.of(missing, origin), strict=True):
            above[ref] = element or self._elements.unreadable(ref)
        found = [
            Found(element, tuple(above[ref] for ref in refs), path)
            for (_, element), (refs, path) in zip(matches, ways, strict=True)
        ]
        return sorted(found, key=lambda one: one.path)

    async def top_of(self, ref: Ref) -> Ref:
        """The window that it is in, as far as it can be followed."""
        steps = await self._steps([ref], None)
        for _ in range(MOST_LEVELS):
            if ref not in steps or steps[ref][0].path in _OUTSIDE:
                break
            ref = steps[ref][0]
        return ref

    async def _ways(self, top: Ref, refs: Sequence[Ref]) -> list[Way]:
        steps = await self._steps(refs, top)
        ways = [_way(ref, top, steps) for ref in refs]
        if None in ways:
            # Some apps tell a parent that does not list the child: only a walk from above knows the way then.
            walk = await walked(self._bus, top, Hints())
            steps = {spot.ref: (spot.parent.ref, spot.index) for spot in reversed(walk) if spot.parent}
            ways = [way or _way(ref, top, steps) for ref, way in zip(refs, ways, strict=True)]
        return [way or ((top,), ()) for way in ways]

    async def _steps(self, refs: Iterable[Ref], top: Ref | None) -> Mapping[Ref, Step]:
        """What is above each of these, as far as `top`; one round a level for all of them together."""
        steps: dict[Ref, Step] = {}
        level = [ref for ref in dict.fromkeys(refs) if ref != top]
        for _ in range(MOST_LEVELS):
            if not level:
                break
            parents = await self._bus.ask_everybody(level, calls.PARENT)
            indexes = await self._bus.ask_everybody(level, calls.INDEX)
            for ref, parent, index in zip(level, parents, indexes, strict=True):
                if not isinstance(parent, Refused) and not isinstance(index, Refused):
                    steps[ref] = (Ref(*parent[0].value), index[0])
            above = dict.fromkeys(steps[ref][0] for ref in level if ref in steps)
            level = [ref for ref in above if ref not in steps and ref != top and ref.path not in _OUTSIDE]
        return steps


def _way(ref: Ref, top: Ref, steps: Mapping[Ref, Step]) -> Way | None:
    """None where the steps don't lead to the top."""
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


_OUTSIDE = frozenset((calls.ROOT_PATH, calls.NULL_PATH))
