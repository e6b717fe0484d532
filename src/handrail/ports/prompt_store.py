"""What the queue of questions is kept in: a log that can be watched, those who wait, and who answered.

Only `Waiters.waiting`, `Mailbox.take` and `Watch.change` are for an event loop; everything else blocks.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from handrail.ports.journal import Journal
from handrail.ports.prompt_queue import Origin
from handrail.ports.prompts import NOTHING_MASKED


class Watch(Protocol):
    async def change(self) -> None:
        """Returns when the file is not as it was when this returned before; at once the first time."""
        ...


class Mailbox(Protocol):
    """What was delivered to one who waits. The digest tells which of several answers it belongs to."""

    async def take(self, digest: str) -> Mapping[str, str]:
        """Empty when nothing was delivered: it is sent before the answer, so it is here already or on its way."""
        ...


class Waiters(Protocol):
    """Who waits for an answer, in any process, and the way by which secrets reach them."""

    def waiting(
        self, request_id: str, masked: Mapping[str, str] = NOTHING_MASKED
    ) -> AbstractAsyncContextManager[Mailbox]:
        """As long as this is entered, its id is among those `find_waiting`. The last to enter is the one reached."""
        ...

    def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """Those of the ids that somebody waits for."""
        ...

    def masked(self, request_id: str) -> Mapping[str, str]:
        """What the waiter's question shows masked, by name; empty if nobody waits, or nothing is."""
        ...

    def deliver(self, request_id: str, digest: str, values: Mapping[str, str]) -> bool:
        """True once the waiter has it."""
        ...


class Answerers(Protocol):
    """Who answered which question: told for people to read. What can't be noted or read is left out."""

    def note(self, request_id: str, by: str) -> None: ...

    def of(self, request_ids: Collection[str]) -> Mapping[str, str]: ...

    def close(self) -> None: ...


class Origins(Protocol):
    """Who posted which question. It decides what counts as handrail's own."""

    def note(self, request_id: str, origin: Origin) -> None:
        """The first note about a question stays."""
        ...

    def of(self, request_ids: Collection[str]) -> Mapping[str, Origin]: ...


@dataclass(frozen=True, slots=True)
class PromptStore:
    journal: Journal
    watching: Callable[[], AbstractAsyncContextManager[Watch]]
    """While inside, tells when the log has changed."""
    waiters: Waiters
    answerers: Answerers
    origins: Origins
    is_elsewhere: bool = False
    """The store may be away for a while: whoever waits for an answer then waits on."""
