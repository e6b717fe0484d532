"""One running server for one project: started with the first call, restarted with a pause when it fails.

A server that hangs, dies, floods or answers nonsense takes its own calls along, and nobody else's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import handrail
from handrail.features.gateway.definitions import MOST_DEFINITIONS, Offered, offered
from handrail.features.gateway.elicitation import elicited
from handrail.features.gateway.session import Channel, Progress, Session, offline
from handrail.kernel.deadline import Deadline
from handrail.ports.errors import BadAnswer, Failure, Offline, Timeout, Unsupported

if TYPE_CHECKING:
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.server_log import ServerLog
    from handrail.kernel.call import Call
    from handrail.kernel.question_limit import QuestionLimit
    from handrail.ports.prompt_queue import PromptQueue

NEWEST = "2025-11-25"
_VERSIONS = frozenset({NEWEST, "2025-06-18", "2025-03-26", "2024-11-05"})
_LIST_SECONDS = 30.0
_MOST_PAGES = 100
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_LOG_SECONDS = 1.0
_CHANGES = frozenset({"notifications/tools/list_changed", "notifications/prompts/list_changed"})
_SAMPLING = "handrail doesn't let servers use the agent's model: the words would enter it past the person."


class ClosableChannel(Channel, Protocol):
    async def close(self) -> None: ...


OpenChannel = Callable[["Session", Callable[[bytes], None]], Awaitable[ClosableChannel]]


@dataclass(eq=False)
class Live:
    """A server that has said hello, and what it offers now."""

    session: Session
    channel: ClosableChannel
    capabilities: Mapping[str, Any]
    offered: Offered
    is_stale: bool = False
    """It has said that it offers something else now."""


@dataclass(eq=False)
class Connection:
    """`open_channel` starts or reaches the server; `changed` is called when it offers something else."""

    server: Server
    open_channel: OpenChannel
    log: ServerLog
    queue: PromptQueue
    limit: QuestionLimit
    start_seconds: float
    call_seconds: float
    changed: Callable[[Connection], None]
    clock: Callable[[], float] = time.monotonic
    _live: Live | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _failures: int = 0
    _failed_at: float = 0.0
    _calls: dict[str, tuple[Call, Deadline]] = field(default_factory=dict)
    _asking: asyncio.Task[Any] | None = None
    _writing: asyncio.Task[None] | None = None
    _refreshing: asyncio.Task[None] | None = None

    async def ready(self) -> Live:
        """The server as it is now. Offline, Timeout, BadAnswer, Reported, AuthRequired."""
        live = self._live
        if live is not None and live.session.end is None and not live.is_stale:
            return live
        async with self._turn:
            return await self._ready()

    async def call(self, call: Call, method: str, params: Mapping[str, Any], *, may_repeat: bool = True) -> Any:
        """The result of a request that belongs to a call. Without `may_repeat`, one that got no answer says so."""
        live = await self.ready()
        limit_ms = call.deadline_ms or round(self.call_seconds * 1000)
        deadline = Deadline(f"{self.server.name} ({method})", limit_ms)
        self._calls[call.execution_id] = call, deadline
        try:
            async with deadline:
                result = await live.session.request(method, params, seconds=None, progress=self._progress(call))
        except Failure as failure:
            if live.session.end is not None:
                self._note_failure()
            if isinstance(failure, Offline | BadAnswer):
                self._keep_log()
            if not may_repeat and isinstance(failure, Offline | Timeout | BadAnswer):
                _perhaps_done(failure)
            raise
        finally:
            self._calls.pop(call.execution_id, None)
            if self._asking is not None:
                self._asking.cancel()  # the question is of no use any more
        self._failures = 0
        return result

    async def close(self) -> None:
        for task in (self._refreshing, self._writing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        live, self._live = self._live, None
        if live is not None:
            await live.channel.close()
            live.session.fail(offline(self.server.name, "was closed"))
        await asyncio.to_thread(self.log.flush)

    def log_line(self, line: str) -> None:
        self.log.add(line)
        self._keep_log()

    async def _ready(self) -> Live:
        live = self._live
        if live is not None and live.session.end is None:
            if live.is_stale:
                live.is_stale = False
                live.offered = await self._listed(live.session, live.capabilities)
            return live
        if live is not None:
            self._live = None
            await live.channel.close()
        if (left := self._pause() - (self.clock() - self._failed_at)) > 0:
            raise offline(
                self.server.name,
                f"failed {self._failures} times in a row and is started again in {left:.0f} s",
                retryAfterMs=round(left * 1000),
            )
        try:
            async with asyncio.timeout(self.start_seconds):
                self._live = await self._started()
        except TimeoutError:
            self._note_failure()
            raise offline(self.server.name, f"didn't start within {self.start_seconds:g} s") from None
        except Failure:
            self._note_failure()
            raise
        return self._live

    async def _started(self) -> Live:
        listener = _Listener(self)
        session = Session(self.server.name, listener)
        channel = await self.open_channel(session, self._said)
        try:
            session.open(channel)
            hello = await session.request(
                "initialize",
                {
                    "protocolVersion": NEWEST,
                    "capabilities": {"elicitation": {"form": {}}},
                    "clientInfo": {"name": "handrail", "version": handrail.__version__},
                },
                seconds=None,
            )
            if not isinstance(hello, dict) or hello.get("protocolVersion") not in _VERSIONS:
                raise BadAnswer(f"{self.server.name} supports no version of MCP that handrail knows.")
            channel.negotiated(hello["protocolVersion"])
            capabilities = hello.get("capabilities")
            capabilities = capabilities if isinstance(capabilities, dict) else {}
            await session.notify("notifications/initialized")
            live = Live(session, channel, capabilities, await self._listed(session, capabilities))
            listener.live = live
        except BaseException:
            session.fail(offline(self.server.name, "was closed"))
            await asyncio.shield(channel.close())
            raise
        return live

    async def _listed(self, session: Session, capabilities: Mapping[str, Any]) -> Offered:
        tools = await self._pages(session, "tools") if "tools" in capabilities else []
        prompts = await self._pages(session, "prompts") if "prompts" in capabilities else []
        found = offered(tools, prompts, has_resources="resources" in capabilities)
        for each in found.left_out:
            self.log_line(f"[handrail] not offered: {each}")
        return found

    async def _pages(self, session: Session, what: str) -> list[Any]:
        """All pages of a list. BadAnswer where there is no end to them."""
        listed: list[Any] = []
        cursor: Any = None
        for _ in range(_MOST_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            page = await session.request(f"{what}/list", params, seconds=_LIST_SECONDS)
            if not isinstance(page, dict) or not isinstance(page.get(what), list):
                raise BadAnswer(f"{self.server.name} answered {what}/list with what isn't a list.")
            listed += page[what]
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return listed
            if len(listed) > 2 * MOST_DEFINITIONS:
                break
        raise BadAnswer(f"{self.server.name} lists {what} without an end.")

    def _pause(self) -> float:
        """How long to wait after the last failure: not at all after the first, then ever longer."""
        return 0.0 if self._failures < 2 else min(_FIRST_PAUSE * 2 ** (self._failures - 2), _LONGEST_PAUSE)

    def _note_failure(self) -> None:
        self._failures += 1
        self._failed_at = self.clock()

    def _progress(self, call: Call) -> Progress:
        name = self.server.name

        async def report(message: str) -> None:
            await call.progress(f"{name}: {message}")

        return report

    def _said(self, data: bytes) -> None:
        self.log.add_bytes(data)
        self._keep_log()

    def _keep_log(self) -> None:
        """Written soon, all at once, and not on the event loop."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_log())

    async def _write_log(self) -> None:
        await asyncio.sleep(_LOG_SECONDS)
        await asyncio.to_thread(self.log.flush)

    def note_change(self, live: Live | None) -> None:
        if live is not None and live is self._live:
            live.is_stale = True
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.get_running_loop().create_task(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(_LOG_SECONDS)  # of many changes, one look
        try:
            await self.ready()
        except Failure as failure:
            self.log_line(f"[handrail] its list can't be read: {failure.message}")
            return
        self.changed(self)

    async def ask_person(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The server asks something. The time of its calls stands still meanwhile."""
        if len(self._calls) != 1 or self._asking is not None:
            raise Unsupported("handrail passes on a question only while exactly one call of this server is running.")
        ((call, deadline),) = self._calls.values()
        self._asking = asyncio.current_task()
        try:
            await self.limit.take(call.caller)
            async with deadline.paused():
                return await elicited(self.server.name, params, call, self.queue)
        finally:
            self._asking = None


class _Listener:
    """What a session tells its connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.live: Live | None = None

    def log(self, line: str) -> None:
        self._connection.log_line(line)

    def notified(self, method: str, params: Mapping[str, Any]) -> None:
        if method in _CHANGES:
            self._connection.note_change(self.live)
        elif method == "notifications/message":
            data = params.get("data")
            self.log(f"[{str(params.get('level', ''))[:20]}] {data if isinstance(data, str) else str(data)[:2000]}")

    async def asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "ping":
                return {}
            case "elicitation/create":
                return await self._connection.ask_person(params)
            case "sampling/createMessage":
                self.log("[handrail] refused: it asked to use the agent's model")
                raise Unsupported(_SAMPLING)
            case _:
                raise Unsupported(f"handrail offers no {method[:100]} to servers.")


def _perhaps_done(failure: Failure) -> None:
    """It was sent: who repeats it without a look may do it twice."""
    failure.retryable = False
    failure.message = f"{failure.message} It may have been done."
    failure.hint = failure.hint or "Look whether it was done before you repeat it."
    failure.details["mayHaveBeenDone"] = True
