"""What an app tells of all its objects in one answer. A hint: it may leave objects out, so the children that it knows
of an object are compared with the number that the object itself claims.
"""

from collections.abc import Sequence
from typing import Any

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Basics

Item = tuple[Any, ...]
"""Object, app, parent, index in the parent, number of children, interfaces, name, role, description, states."""


class Hints:
    """Taken apart only where somebody asks: an app may tell of far more objects than are wanted."""

    def __init__(self, items: Sequence[Item] = ()) -> None:
        self._items = {item[0]: item for item in items}
        self._children: dict[tuple[str, str], list[Item]] = {}
        for item in items:
            self._children.setdefault(item[2], []).append(item)

    @classmethod
    async def of(cls, bus: AccessibilityBus, name: str, patience: float = PATIENCE) -> "Hints":
        """Empty where the app has none."""
        answer = await bus.ask(Ref(name, calls.CACHE_PATH), calls.ITEMS, patience)
        return cls() if isinstance(answer, Refused) else cls(answer[0])

    def basics(self, ref: Ref) -> Basics | None:
        item = self._items.get(ref)
        return Basics.of(item[6], item[7], item[9], item[5]) if item else None

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """In their order, or None when not all of them are known."""
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
