"""One running server for one project: started by the first call, restarted with increasing pauses when it fails.

A server that hangs, dies, floods us or answers nonsense fails its own calls and affects no other server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import handrail
from handrail.features.gateway.definitions import MAX_DEFINITIONS, Offering, read_offering
from handrail.features.gateway.elicitation import ask_elicitation
from handrail.features.gateway.session import Channel, Progress, Session, offline
from handrail.kernel.deadline import Deadline
from handrail.kernel.visible import one_line
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
_MAX_PAGES = 100
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_LOG_SECONDS = 1.0
_CHANGES = frozenset({"notifications/tools/list_changed", "notifications/prompts/list_changed"})
_SAMPLING = "handrail doesn't let servers use the agent's model: the words would enter it past the person."


class ClosableChannel(Channel, Protocol):
    async def close(self) -> None: ...


OpenChannel = Callable[["Session", Callable[[bytes], None]], Awaitable[ClosableChannel]]


@dataclass(eq=False)
class ConnectedServer:
    """A server that has completed the MCP handshake, and what it offers now."""

    session: Session
    channel: ClosableChannel
    capabilities: Mapping[str, Any]
    offering: Offering
    is_stale: bool = False
    """The server has announced that its offering changed."""


@dataclass(eq=False)
class Connection:
    """`open_channel` starts or reaches the server; `on_change` is called when it offers something else."""

    server: Server
    open_channel: OpenChannel
    log: ServerLog
    queue: PromptQueue
    limit: QuestionLimit
    start_seconds: float
    call_seconds: float
    on_change: Callable[[Connection], None]
    clock: Callable[[], float] = time.monotonic
    _connected: ConnectedServer | None = None
    _start_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _failures: int = 0
    _failed_at: float = 0.0
    _calls: dict[str, tuple[Call, Deadline]] = field(default_factory=dict)
    _question: asyncio.Task[Any] | None = None
    _writing: asyncio.Task[None] | None = None
    _refreshing: asyncio.Task[None] | None = None

    async def ready(self) -> ConnectedServer:
        """Starts or refreshes the server where needed. Offline, Timeout, BadAnswer, Reported, AuthRequired."""
        live = self._connected
        if live is not None and live.session.end is None and not live.is_stale:
            return live
        async with self._start_lock:
            return await self._ready()

    async def call(self, call: Call, method: str, params: Mapping[str, Any], *, may_repeat: bool = True) -> Any:
        """Returns the result of a request made for a call.

        Unless `may_repeat`, an error after sending says that the request may have been carried out.
        """
        live = await self.ready()
        limit_ms = call.deadline_ms or round(self.call_seconds * 1000)
        deadline = Deadline(f"{self.server.name} ({method})", limit_ms)
        self._calls[call.execution_id] = call, deadline
        try:
            async with deadline:
                result = await live.session.request(method, params, seconds=None, progress=self._progress(call))
        except Failure as failure:
            if live.session.end is not None:
                self._count_failure()
            if isinstance(failure, Offline | BadAnswer):
                self._schedule_log_write()
            if not may_repeat and isinstance(failure, Offline | Timeout | BadAnswer):
                _warn_may_be_done(failure)
            raise
        finally:
            self._calls.pop(call.execution_id, None)
            if self._question is not None:
                self._question.cancel()  # nobody needs the answer any more
        self._failures = 0
        return result

    async def close(self) -> None:
        for task in (self._refreshing, self._writing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        live, self._connected = self._connected, None
        if live is not None:
            await live.channel.close()
            live.session.fail(offline(self.server.name, "was closed"))
        await asyncio.to_thread(self.log.flush)

    def log_line(self, line: str) -> None:
        self.log.add(line)
        self._schedule_log_write()

    async def _ready(self) -> ConnectedServer:
        live = self._connected
        if live is not None and live.session.end is None:
            if live.is_stale:
                live.is_stale = False
                live.offering = await self._read_offering(live.session, live.capabilities)
            return live
        if live is not None:
            self._connected = None
            await live.channel.close()
        if (remaining := self._backoff() - (self.clock() - self._failed_at)) > 0:
            raise offline(
                self.server.name,
                f"failed {self._failures} times in a row and will be restarted in {remaining:.0f} s",
                retryAfterMs=round(remaining * 1000),
            )
        try:
            async with asyncio.timeout(self.start_seconds):
                self._connected = await self._start_server()
        except TimeoutError:
            self._count_failure()
            raise offline(self.server.name, f"didn't start within {self.start_seconds:g} s") from None
        except Failure:
            self._count_failure()
            raise
        return self._connected

    async def _start_server(self) -> ConnectedServer:
        listener = _Listener(self)
        session = Session(self.server.name, listener)
        channel = await self.open_channel(session, self._log_output)
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
            channel.set_version(hello["protocolVersion"])
            capabilities = hello.get("capabilities")
            capabilities = capabilities if isinstance(capabilities, dict) else {}
            await session.notify("notifications/initialized")
            live = ConnectedServer(session, channel, capabilities, await self._read_offering(session, capabilities))
            listener.live = live
        except BaseException:
            session.fail(offline(self.server.name, "was closed"))
            await asyncio.shield(channel.close())
            raise
        return live

    async def _read_offering(self, session: Session, capabilities: Mapping[str, Any]) -> Offering:
        tools = await self._pages(session, "tools") if "tools" in capabilities else []
        prompts = await self._pages(session, "prompts") if "prompts" in capabilities else []
        offering = read_offering(tools, prompts, has_resources="resources" in capabilities)
        for problem in offering.left_out:
            self.log_line(f"[handrail] not offered: {problem}")
        return offering

    async def _pages(self, session: Session, what: str) -> list[Any]:
        """Collects all pages of a list. BadAnswer if it never ends."""
        entries: list[Any] = []
        cursor: Any = None
        for _ in range(_MAX_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            page = await session.request(f"{what}/list", params, seconds=_LIST_SECONDS)
            if not isinstance(page, dict) or not isinstance(page.get(what), list):
                raise BadAnswer(f"{self.server.name} answered {what}/list with something that isn't a list.")
            entries += page[what]
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return entries
            if len(entries) > 2 * MAX_DEFINITIONS:
                break
        raise BadAnswer(f"{self.server.name} lists {what} endlessly.")

    def _backoff(self) -> float:
        """How long to wait before a restart: no pause after the first failure, then doubling."""
        return 0.0 if self._failures < 2 else min(_FIRST_PAUSE * 2 ** (self._failures - 2), _LONGEST_PAUSE)

    def _count_failure(self) -> None:
        self._failures += 1
        self._failed_at = self.clock()

    def _progress(self, call: Call) -> Progress:
        name = self.server.name

        async def report(message: str) -> None:
            await call.progress(f"{name}: {one_line(message)}")

        return report

    def _log_output(self, data: bytes) -> None:
        self.log.add_bytes(data)
        self._schedule_log_write()

    def _schedule_log_write(self) -> None:
        """Writes the log soon, in one batch, off the event loop."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_log())

    async def _write_log(self) -> None:
        await asyncio.sleep(_LOG_SECONDS)
        await asyncio.to_thread(self.log.flush)

    def mark_stale(self, live: ConnectedServer | None) -> None:
        if live is not None and live is self._connected:
            live.is_stale = True
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.get_running_loop().create_task(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(_LOG_SECONDS)  # one refresh for a burst of changes
        try:
            await self.ready()
        except Failure as failure:
            self.log_line(f"[handrail] its list can't be read: {failure.message}")
            return
        self.on_change(self)

    async def ask_person(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Passes a server's question to the person. The timeout of its call is paused until they answer."""
        if len(self._calls) != 1 or self._question is not None:
            raise Unsupported("handrail passes on a question only while exactly one call of this server is running.")
        ((call, deadline),) = self._calls.values()
        self._question = asyncio.current_task()
        try:
            await self.limit.take(call.caller)
            async with deadline.paused():
                return await ask_elicitation(self.server.name, params, call, self.queue)
        finally:
            self._question = None


class _Listener:
    """Handles what a session receives from its server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.live: ConnectedServer | None = None

    def log(self, line: str) -> None:
        self._connection.log_line(line)

    def handle_notification(self, method: str, params: Mapping[str, Any]) -> None:
        if method in _CHANGES:
            self._connection.mark_stale(self.live)
        elif method == "notifications/message":
            data = params.get("data")
            self.log(f"[{str(params.get('level', ''))[:20]}] {data if isinstance(data, str) else str(data)[:2000]}")

    async def answer_request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
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


def _warn_may_be_done(failure: Failure) -> None:
    """The request was sent, so repeating it blindly may do it twice."""
    failure.retryable = False
    failure.message = f"{failure.message} It may have been done."
    failure.hint = failure.hint or "Check whether it was done before you repeat it."
    failure.details["mayHaveBeenDone"] = True
