"""What an app says about all its objects in one answer, and what was learned of them beside."""

from collections.abc import Mapping, Sequence
from typing import Any

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused


class Cache:
    """It may leave objects out."""

    def __init__(self, items: Sequence[tuple[Any, ...]] = ()) -> None:
        """Object, app, parent, index in the parent, number of children, interfaces, name, role, description, states."""
        self._items = {item[0]: item for item in items}
        self._children: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        self._further: dict[Ref, Mapping[str, Any]] = {}
        for item in items:
            self._children.setdefault(item[2], []).append(item)

    @classmethod
    async def of(cls, bus: AccessibilityBus, app: str) -> "Cache":
        answer = await bus.ask(Ref(app, calls.CACHE_PATH), calls.ITEMS)
        return cls() if isinstance(answer, Refused) else cls(answer[0])

    def copy(self) -> "Cache":
        """Learns for itself."""
        copied = Cache()
        copied._items, copied._children = dict(self._items), self._children
        return copied

    def item(self, ref: Ref) -> tuple[Any, ...] | None:
        return self._items.get(ref)

    def learn(
        self,
        ref: Ref,
        name: str,
        role: int,
        states: Sequence[int],
        interfaces: Sequence[str],
        further: Mapping[str, Any],
    ) -> None:
        """What was asked for beside, so that it is not asked for again."""
        self._items[ref] = (ref, None, None, 0, 0, interfaces, name, role, "", states)
        self._further[ref] = further

    def further(self, ref: Ref) -> Mapping[str, Any] | None:
        """What its interfaces add, where that is known already."""
        return self._further.get(ref)

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """In order, or None when not all of them are known."""
        item = self._items.get(ref)
        if item is None:
            return None
        known = sorted(self._children.get(ref, ()), key=lambda child: child[3])
        # GTK 3 gives -1 as the number of children that it does not count.
        is_complete = len(known) == item[4] and all(child[3] == index for index, child in enumerate(known))
        return [Ref(*child[0]) for child in known] if is_complete else None
