"""The stores of the prompt queue: a log that can be watched, the waiting callers, who answered, and who asked.

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
        """Returns when the file has changed since the last return; at once the first time."""
        ...


class Mailbox(Protocol):
    """Secrets that were delivered to a waiting caller. The digest identifies the answer."""

    async def take(self, digest: str) -> Mapping[str, str]:
        """The secrets of an answer, which are sent before it; empty if nothing was delivered."""
        ...


class Waiters(Protocol):
    """The callers that wait for answers, in any process, and how secrets are delivered to them."""

    def waiting(
        self, request_id: str, masked: Mapping[str, str] = NOTHING_MASKED
    ) -> AbstractAsyncContextManager[Mailbox]:
        """While inside, `find_waiting` returns this id. Secrets are delivered to the caller that entered last."""
        ...

    def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """The ids for whose answers a caller waits."""
        ...

    def masked(self, request_id: str) -> Mapping[str, str]:
        """The masked values of the caller's question, by name; empty if there are none or nobody waits."""
        ...

    def deliver(self, request_id: str, digest: str, values: Mapping[str, str]) -> bool:
        """Delivers secrets; returns whether the caller received them."""
        ...


class Answerers(Protocol):
    """Who answered which question, for people. What can't be written or read is left out."""

    def note(self, request_id: str, by: str) -> None: ...

    def of(self, request_ids: Collection[str]) -> Mapping[str, str]: ...

    def close(self) -> None: ...


class Origins(Protocol):
    """Who posted which question. This decides what counts as handrail's own."""

    def note(self, request_id: str, origin: Origin) -> None:
        """Only the first note about a question counts."""
        ...

    def of(self, request_ids: Collection[str]) -> Mapping[str, Origin]: ...


@dataclass(frozen=True, slots=True)
class PromptStore:
    journal: Journal
    watching: Callable[[], AbstractAsyncContextManager[Watch]]
    """While inside, reports when the log has changed."""
    waiters: Waiters
    answerers: Answerers
    origins: Origins
    is_elsewhere: bool = False
    """The store is on another machine and may be unavailable for a while; callers then keep waiting."""
