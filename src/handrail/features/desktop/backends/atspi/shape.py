"""Who is whose child in a window, level by level, so that a bound cuts off what is deep before what is near. Ends on
trees that lead back into themselves. Knows nothing else of the elements.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Hints
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.ports.errors import Gone

MOST_NODES = 100_000
MOST_LEVELS = 1000


@dataclass(slots=True, eq=False)
class Spot:
    """A place in the tree. A child that is listed and can't be read keeps its place, so indexes are the app's own."""

    ref: Ref
    parent: "Spot | None" = None
    index: int = 0
    children: list["Spot"] = field(default_factory=list)
    is_cut: bool = False

    @property
    def is_empty(self) -> bool:
        return self.ref.path == calls.NULL_PATH

    @property
    def ancestors(self) -> list["Spot"]:
        """The root first."""
        above, spot = [], self.parent
        while spot is not None:
            above.append(spot)
            spot = spot.parent
        return above[::-1]


async def walked(
    bus: AccessibilityBus,
    top: Ref,
    known: Hints,
    *,
    max_depth: int = MOST_LEVELS,
    max_nodes: int = MOST_NODES,
) -> list[Spot]:
    """Every spot once, the root first, then level after level. Gone when there is no root."""
    root = Spot(top)
    spots, level, seen = [root], [root], {top}
    for depth in range(max_depth + 1):
        following: list[Spot] = []
        for spot, children in zip(level, await _children(bus, level, known), strict=True):
            for index, ref in enumerate(children):
                if depth == max_depth or len(spots) >= max_nodes:
                    spot.is_cut = True
                    break
                child = Spot(ref, spot, index)
                spot.children.append(child)
                spots.append(child)
                if ref not in seen and not child.is_empty:
                    seen.add(ref)
                    following.append(child)
        if not following:
            break
        level = following
    return spots


async def _children(bus: AccessibilityBus, level: Sequence[Spot], known: Hints) -> list[Sequence[Ref]]:
    hinted = [known.children(spot.ref) for spot in level]
    asked = [spot.ref for spot, children in zip(level, hinted, strict=True) if children is None]
    answers = await bus.ask_everybody(asked, calls.CHILDREN)
    if len(level) == 1 and level[0].parent is None and answers and isinstance(answers[0], Refused):
        raise Gone("The window is gone.")
    listed = iter(answers)
    return [_listed(next(listed)) if children is None else children for children in hinted]


def _listed(answer: Any) -> list[Ref]:
    return [] if isinstance(answer, Refused) else [Ref(*child) for child in answer[0]]
