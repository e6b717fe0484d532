"""MCP on the server's local socket, for `handrail mcp`; the operating system identifies its client.

A connection that resumes a session names the requests that an earlier server had. A call that hadn't changed anything
runs again; for other calls the client gets what is recorded.
"""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

import handrail
from handrail.faces.mcp.lines import LineSession
from handrail.faces.mcp.protocol import Request
from handrail.faces.mcp.server import McpServer
from handrail.kernel.call import Call
from handrail.kernel.gate import Gate
from handrail.kernel.local_service import LocalSession, LocalStream
from handrail.kernel.project import Project
from handrail.kernel.tool import Reply
from handrail.ports.errors import Aborted, Failure, InvalidParams, Unfinished, Unsupported
from handrail.ports.identity import Identity
from handrail.ports.unreadable_json import UNREADABLE_JSON

_RESULT = "result.json"
_MOST_BYTES = 64 * 1024 * 1024


def find_outcome(project: Project, call: Call, since: int) -> Reply | None:
    """The call's result if it succeeded; None if it hadn't begun to change anything, so that it may run now.

    Raises Aborted if it failed, Unfinished if it isn't known whether it was done. Blocks.
    """
    begin, end = _records(project, call.trace_id, since)
    if begin is None:
        return None
    where = f"handrail's server ended during this call ({begin.get('executionId')})."
    if end is None:
        hint = "Check what it would have changed before you call it again."
        raise _in_doubt(f"{where} It had begun, so it may have been done.", hint)
    if not end.get("ok"):
        raise Aborted(f"{where} It had failed: {(end.get('error') or {}).get('message', 'the audit says no more')}")
    try:
        data = project.evidence.read(end["evidence"]["dir"], _RESULT, _MOST_BYTES)
        return Reply(msgspec.json.decode(data)["result"])
    except (Failure, KeyError, TypeError, *UNREADABLE_JSON):
        hint = "Don't call it again; check what it has changed."
        raise _in_doubt(f"{where} It was done, and its result is lost.", hint) from None


def _in_doubt(message: str, hint: str) -> Unfinished:
    """Not retryable, because a retry might do it twice."""
    failure = Unfinished(message, hint=hint, mayHaveBeenDone=True)
    failure.retryable = False
    return failure


def _records(project: Project, trace: str | None, since: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The call's `begin` and `end` records, if they were written since the session began."""
    first = datetime.fromtimestamp(since, UTC).isoformat()
    begin = end = None
    for entry in project.audit.entries(reverse=True):
        if entry.get("ts", "") < first:
            break
        if entry.get("traceId") == trace:
            if entry.get("event") == "end":
                end = end or entry
            elif entry.get("event") == "begin":
                begin = begin or entry
    return begin, end


_EVERY_TOOL = "all"
_OK = b'{"ok":true}\n'


@dataclass(frozen=True, slots=True)
class _Connection:
    session: LocalSession
    resent: Collection[str | int]
    """The ids of requests that an earlier server had."""
    since: int
    """When the session began, in seconds since 1970."""

    def trace(self, request: str | int | None) -> str:
        """A trace id that is the same for every server that gets this request."""
        return f"{self.session.caller.session.connection}#{request}"


class LocalMcp:
    """`gate_of` returns a project's gate for callers without a terminal."""

    def __init__(self, gate_of: Callable[[Project], Gate]) -> None:
        self._gate_of = gate_of
        self._servers: dict[tuple[str, str | None, bool], McpServer] = {}

    async def serve(self, session: LocalSession) -> None:
        try:
            connection = _read_hello(session)
            server = self._server(session)
        except (InvalidParams, Unsupported) as refusal:
            await session.stream.write(msgspec.json.encode({"ok": False, "error": refusal.message}) + b"\n")
            return
        await session.stream.write(_OK)
        try:
            await LineSession(server, session.stream, _Sink(session.stream), origin=connection).serve()
        finally:
            server.forget(session.caller.session)

    def _server(self, session: LocalSession) -> McpServer:
        """One for each project and choice of tools; its connections share the tool list and its changes."""
        tools, is_compact = session.hello.get("tools"), bool(session.hello.get("compact"))
        key = (session.project.location, tools, is_compact)
        if key not in self._servers:
            gate = _with_tools(self._gate_of(session.project), tools, is_compact=is_compact)
            self._servers[key] = McpServer(gate, _peer, session.project.settings, trace=_trace, recall=_recall)
        return self._servers[key]


def _with_tools(gate: Gate, tools: str | None, *, is_compact: bool) -> Gate:
    names = None if tools in (None, _EVERY_TOOL) else [name.strip() for name in tools.split(",") if name.strip()]
    if is_compact:
        return gate.with_surfaces(names, "compact")
    return gate if tools is None else gate.with_surfaces(names, "all")


def _read_hello(session: LocalSession) -> _Connection:
    hello = session.hello
    if hello.get("handrail") != handrail.__version__:
        raise Unsupported(f"This server is handrail {handrail.__version__}.")
    if not isinstance(hello.get("tools"), str | None):
        raise InvalidParams("`tools` must be names separated by commas.")
    try:
        resent = msgspec.json.decode(hello.get("again", "[]"), type=list[str | int])
        return _Connection(session, frozenset(resent), int(hello.get("since", 0)))
    except (TypeError, ValueError, *UNREADABLE_JSON):
        raise InvalidParams("`again` or `since` is invalid.") from None


def _peer(request: Request) -> tuple[str, Identity]:
    caller = _connection(request).session.caller
    return caller.words, caller.session


def _trace(request: Request) -> str:
    return _connection(request).trace(request.id)


async def _recall(request: Request, call: Call) -> Reply | None:
    """The outcome of a call that an earlier server had; None if the call may run now. Raises Failure."""
    connection = _connection(request)
    if request.id not in connection.resent:
        return None
    return await asyncio.to_thread(find_outcome, connection.session.project, call, connection.since)


def _connection(request: Request) -> _Connection:
    assert isinstance(request.source, _Connection)
    return request.source


class _Sink:
    """Ignores writes after the client has disconnected."""

    def __init__(self, stream: LocalStream) -> None:
        self._stream = stream

    @property
    def is_gone(self) -> bool:
        return self._stream.is_gone

    async def write(self, data: bytes) -> None:
        try:
            await self._stream.write(data)
        except ConnectionError:
            return

    def close(self) -> None:
        """Does nothing: the connection is closed by the local server."""
