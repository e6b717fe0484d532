"""One action, which waits, runs in the plugin, and ends exactly once."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus import catalogue
from handrail.features.browser.bus.browser_action import ArtifactSlot
from handrail.features.browser.bus.numbered_elements import with_numbers
from handrail.features.browser.bus.outcome import End, end_in_ack, mark_uncertain
from handrail.ports.browser import EXPECTED_ORIGIN, PROTOCOL, ActionRecord, UploadSlot


def new_action_id() -> str:
    return "act-" + secrets.token_hex(12)


async def unchanged(end: End) -> End:
    """For actions that produce no artifact."""
    return end


class Action:
    """`record`: its state at the start. `end`: set by the first call of `finish`.

    `complete`: adds to the plugin's answer what only the server knows.
    """

    def __init__(self, record: ActionRecord, *, timeout_ms: int | None = None) -> None:
        self.record = record
        self.seconds = timeout_ms / 1000 if timeout_ms is not None else catalogue.seconds_for(record.actions)
        self.is_idempotent = catalogue.are_idempotent(record.actions)
        self.only_reads = catalogue.only_read(record.actions)
        self.slots: Sequence[tuple[ArtifactSlot, UploadSlot]] = ()
        self.storing: Sequence[Awaitable[None]] = ()
        """Its slots, which are stored together with its start."""
        self.artifacts: Sequence[Mapping[str, Any]] = ()
        self.complete: Callable[[End], Awaitable[End]] = unchanged
        self.denied: Sequence[str] = ()
        self.origin: str | None = None
        """The place that the policy decided about: the page must still be there."""
        self.end: End | None = None
        self.is_sent = False
        self._has_ended = asyncio.Event()
        self._interruption: asyncio.Timeout | None = None

    def finish(self, end: End) -> bool:
        """False if the action had ended already; the caller must not continue then."""
        if self.end is not None:
            return False
        self.end = mark_uncertain(end) if self.is_sent and not self.is_idempotent else end
        self._has_ended.set()
        if self._interruption is not None:
            self._interruption.reschedule(-1)
        return True

    @asynccontextmanager
    async def interruptible(self) -> AsyncIterator[None]:
        """Raises TimeoutError once the action is ended from elsewhere, also if that was before."""
        if self.end is not None:
            raise TimeoutError
        async with asyncio.timeout(None) as self._interruption:
            try:
                yield
            finally:
                self._interruption = None

    async def wait(self) -> End:
        await self._has_ended.wait()
        assert self.end is not None
        return self.end

    def message(
        self, wire_id: str, now: int, own_ports: Collection[int] = (), *, has_numbers: bool = False
    ) -> dict[str, Any]:
        """`browser_action`, as contract 2 §3.5 defines it.

        `own_ports`: handrail's own, whose pages no action may use. `has_numbers`: this plugin writes ids
        as numbers.
        """
        record = self.record
        message: dict[str, Any] = {
            "v": PROTOCOL,
            "type": "browser_action",
            "id": wire_id,
            "taskId": record.task_id,
            "clientId": record.client_id,
            "timestamp": now,
            "action": with_numbers(record.actions) if has_numbers else record.actions,
        }
        if own_ports:
            message["ownPorts"] = sorted(own_ports)
        if self.denied:
            message["deniedPages"] = list(self.denied)
        if self.origin is not None:
            message[EXPECTED_ORIGIN] = self.origin
        for declared, slot in self.slots:
            message[f"{declared.place}PresignedUrl"] = slot.upload_url
            message["artifactId" if declared.place == "artifact" else "screenshotArtifactId"] = slot.artifact_id
        if "screenshotArtifactId" in message:
            message.setdefault("artifactId", message["screenshotArtifactId"])
        if self.artifacts:
            message["artifacts"] = self.artifacts
        if record.trace_id is not UNSET:
            message["traceId"] = record.trace_id
        return message

    def record_of(self, end: End, now: int) -> ActionRecord:
        """The record to store once the action has ended."""
        result = dict(end.result) if end.failure is None else UNSET
        return msgspec.structs.replace(self.record, status=end.status, result=result, ended_at=now)


@dataclass(slots=True)
class Exchange:
    """One delivery of an action to a plugin, which acknowledges it and then answers."""

    action: Action
    acknowledged: asyncio.Event = field(default_factory=asyncio.Event)
    answer: asyncio.Future[End] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def on_ack(self, ack: Any) -> None:
        if (end := end_in_ack(ack)) is not None:
            self.end(end)
        self.acknowledged.set()

    def end(self, end: End) -> bool:
        if self.answer.done():
            return False
        self.answer.set_result(end)
        self.acknowledged.set()
        return True
