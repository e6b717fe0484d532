"""What an app tells of all its objects in one answer. A hint: it may leave objects out, so who uses it compares the
children with the number that the object itself claims.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from handrail.backends.desktop.atspi import calls, states
from handrail.backends.desktop.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.backends.desktop.atspi.connection import Refused
from handrail.backends.desktop.atspi.elements import Basics


@dataclass(slots=True)
class _Family:
    claimed: int
    """How many children it says to have; -1 where it does not say."""
    placed: dict[int, Ref] = field(default_factory=dict)

    @property
    def children(self) -> Sequence[Ref] | None:
        """In their order, or None when not all of them are known."""
        if self.claimed < 0 or len(self.placed) != self.claimed:
            return None
        if any(index not in self.placed for index in range(self.claimed)):
            return None
        return [self.placed[index] for index in range(self.claimed)]


class Hints:
    """What is known of each object, and of its children."""

    def __init__(self) -> None:
        self.basics: dict[Ref, Basics] = {}
        self._family: dict[Ref, _Family] = {}

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """In their order, or None when not all of them are known."""
        family = self._family.get(ref)
        return family.children if family else None

    @classmethod
    async def of(cls, bus: AccessibilityBus, name: str, patience: float = PATIENCE) -> "Hints":
        """Empty where the app has none, or in a form that has no counts."""
        found = cls()
        answer = await bus.ask(Ref(name, calls.CACHE_PATH), calls.ITEMS, patience)
        if isinstance(answer, Refused) or not answer or not answer[0] or not _has_counts(answer[0][0]):
            return found
        for item in answer[0]:
            ref = Ref(*item[0])
            found.basics[ref] = Basics(item[6], item[7], states.named(item[9]), item[5])
            found._family[ref] = _Family(item[4])
        for ref, _, parent, index, *_ in answer[0]:
            if family := found._family.get(parent):
                family.placed[index] = Ref(*ref)
        return found


def _has_counts(item: Sequence[Any]) -> bool:
    return len(item) == 10 and isinstance(item[4], int)
