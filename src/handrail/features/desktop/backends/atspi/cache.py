"""What an app reports about all its objects in one answer, and what else was read about them."""

from collections.abc import Mapping, Sequence
from typing import Any

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused


class Cache:
    """The objects of an app, some of which may be missing."""

    def __init__(self, items: Sequence[tuple[Any, ...]] = ()) -> None:
        """Items: object, app, parent, index in parent, child count, interfaces, name, role, description, states."""
        self._items = {item[0]: item for item in items}
        self._children: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        self._details: dict[Ref, Mapping[str, Any]] = {}
        for item in items:
            self._children.setdefault(item[2], []).append(item)

    @classmethod
    async def of(cls, bus: AccessibilityBus, app: str) -> "Cache":
        answer = await bus.ask(Ref(app, calls.CACHE_PATH), calls.ITEMS)
        return cls() if isinstance(answer, Refused) else cls(answer[0])

    def item(self, ref: Ref) -> tuple[Any, ...] | None:
        return self._items.get(ref)

    def add(
        self,
        ref: Ref,
        name: str,
        role: int,
        states: Sequence[int],
        interfaces: Sequence[str],
        details: Mapping[str, Any],
    ) -> None:
        """Adds what was read separately, so that it isn't read again."""
        self._items[ref] = (ref, None, None, 0, 0, interfaces, name, role, "", states)
        self._details[ref] = details

    def details(self, ref: Ref) -> Mapping[str, Any] | None:
        """Returns what the object's interfaces report, if that is known already."""
        return self._details.get(ref)

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """Returns the children in order, or None if not all of them are known."""
        item = self._items.get(ref)
        if item is None:
            return None
        children = sorted(self._children.get(ref, ()), key=lambda child: child[3])
        # GTK 3 reports -1 if it doesn't count the children
        is_complete = len(children) == item[4] and all(child[3] == index for index, child in enumerate(children))
        return [Ref(*child[0]) for child in children] if is_complete else None
