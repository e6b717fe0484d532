"""Calls the host over its socket: many calls at once over one connection, which is reopened when it breaks."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import msgspec

from handrail.features.desktop.dialect import CODES
from handrail.ports.errors import Failure, Internal, NotReady, Offline, Reported, Timeout
from handrail.ports.unix_socket import socket_address
from handrail.ports.unreadable_json import UNREADABLE_JSON

_CONNECT_SECONDS = 5.0
_CONNECT_RETRY_SECONDS = 0.02
_MAX_LINE_BYTES = 64 * 1024 * 1024


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, path: Path) -> "Connection":
        """OSError if no process listens or accepts connections."""
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.setblocking(False)
            await _connect(sock, path)
            reader, writer = await asyncio.open_unix_connection(sock=sock, limit=_MAX_LINE_BYTES)
        except BaseException:
            sock.close()
            raise
        return cls(reader, writer)

    @property
    def is_open(self) -> bool:
        return not self._reading.done()

    async def request(self, id: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and returns the answer with its envelope. Offline if the host ends first."""
        if not self.is_open:
            raise _host_ended()
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = answer
        try:
            self.send(id, method, params)
            with suppress(ConnectionError):  # `_read` notices it as well and reports it
                await self._writer.drain()
            return await answer
        finally:
            del self._waiting[id]

    def send(self, id: str, method: str, params: dict[str, Any]) -> None:
        """Sends a request without waiting for its answer."""
        if self.is_open:
            request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            self._writer.write(msgspec.json.encode(request) + b"\n")

    async def close(self) -> None:
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _read(self) -> None:
        try:
            while line := await self._reader.readline():
                self._receive(line)
        except (OSError, ValueError):  # a broken pipe, or a line that is too long or no JSON
            pass
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(_host_ended())

    def _receive(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line)
        except UNREADABLE_JSON as error:
            raise ValueError("not JSON") from error
        answer = self._waiting.get(str(message.get("id"))) if isinstance(message, dict) else None
        if answer is not None and not answer.done():
            answer.set_result(message)


def _host_ended() -> Offline:
    return Offline(
        "The desktop host ended before it answered.", hint="Check what happened before you repeat an action."
    )


async def _connect(sock: socket.socket, path: Path) -> None:
    """Connects itself, because the loop's `sock_connect` mistakes a full backlog for a connection."""
    async with asyncio.timeout(_CONNECT_SECONDS):
        while True:
            try:
                with socket_address(path) as address:
                    return sock.connect(address)
            except BlockingIOError:
                await asyncio.sleep(_CONNECT_RETRY_SECONDS)


SCHEMA_VERSION = 1
_START_TIMEOUT_SECONDS = 15.0
_RETRY_SECONDS = 0.05
_GRACE_SECONDS = 5.0  # the host enforces the timeout itself; this is for a host that is stuck
_CONDITIONS: dict[str, type[Failure]] = {
    **{code: condition for condition, code in reversed(list(CODES.items()))},
    "DESKTOP_HOST_NOT_READY": NotReady,
}


class HostClient:
    """`workspace` is the project's folder, with links resolved; the host writes its evidence there."""

    def __init__(self, workspace: str, find: Callable[[], Awaitable[Connection]]) -> None:
        self._workspace = workspace
        self._find = find
        self._lock = asyncio.Lock()
        self._connection: Connection | None = None

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_ms: int,
        request_id: str | None = None,
        meta: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        clock = asyncio.get_running_loop().time
        until = clock() + min(timeout_ms / 1000, _START_TIMEOUT_SECONDS)
        while True:
            connection = await self._connected()
            try:
                return await call_host(
                    connection, self._workspace, method, params, timeout_ms=timeout_ms, request_id=request_id, meta=meta
                )
            except NotReady:  # nothing was done: the host is still starting
                if clock() >= until:
                    raise
            await asyncio.sleep(_RETRY_SECONDS)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _connected(self) -> Connection:
        async with self._lock:
            if self._connection is None or not self._connection.is_open:
                await self.close()
                self._connection = await self._find()
            return self._connection


async def call_host(
    connection: Connection,
    workspace: str,
    method: str,
    params: Mapping[str, Any],
    *,
    timeout_ms: int,
    request_id: str | None = None,
    meta: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Makes one call over an open connection."""
    id = request_id or str(uuid4())
    base = {"schemaVersion": SCHEMA_VERSION, "requestId": id, "workspacePath": workspace, "timeoutMs": timeout_ms}
    try:
        async with asyncio.timeout(timeout_ms / 1000 + _GRACE_SECONDS):
            answer = await connection.request(id, method, {"meta": {**base, **meta}, **params})
    except TimeoutError:
        raise Timeout(
            f"The desktop host isn't responding to {method}.",
            hint="If it was stopped, resume or kill it; `handrail up` starts another.",
            timeoutMs=timeout_ms,
        ) from None
    except asyncio.CancelledError:
        abort_id = str(uuid4())
        connection.send(abort_id, "desktop.abort", {"meta": {**base, "requestId": abort_id}, "executionId": id})
        raise
    return _result(answer)


def _result(answer: Mapping[str, Any]) -> dict[str, Any]:
    result, error = answer.get("result"), answer.get("error")
    if isinstance(result, dict) and error is None:
        return result
    raise _failure(error)


def _failure(error: Any) -> Failure:
    """Returns the Failure for an error of the host; unknown codes are passed on."""
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return Internal("The desktop host's answer can't be read.")
    code, message, retryable = error["code"], str(error.get("message", "")), error.get("retryable") is True
    details = dict(error["details"]) if isinstance(error.get("details"), dict) else {}
    hint = details.pop("hint", None)
    condition = _CONDITIONS.get(code)
    failure = condition(message, hint=hint) if condition is not None else None
    if failure is None or failure.retryable != retryable:
        failure = Reported(message, code=code, retryable=retryable, hint=hint)
    failure.details = details
    return failure
