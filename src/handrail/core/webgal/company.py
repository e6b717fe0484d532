"""What the rules of one scene ask of all scenes together: who speaks how often, and which variables are set."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from handrail.core.webgal.nearness import Names, folded

OFTEN = 5


@dataclass(frozen=True)
class Company:
    """`spoken`: how many lines each speaker has; `known`: every variable that is set, or is a setting."""

    spoken: Mapping[str, int]
    known: frozenset[str]

    @cached_property
    def regulars(self) -> dict[str, str]:
        """Who speaks often, and how the name is compared."""
        return {name: folded(name) for name, lines in self.spoken.items() if lines >= OFTEN}

    @cached_property
    def names(self) -> Names:
        return Names(self.known)

    def standing(self) -> object:
        """Equal as long as no rule can tell the difference: one, several or many lines, nobody asks more exactly."""
        return {name: (count > 1) + (count >= OFTEN) for name, count in self.spoken.items()}, self.known
