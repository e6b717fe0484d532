"""A server at an address, over streamable HTTP: one POST per message and a stream for the server's own messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpcore2
import msgspec

import handrail
from handrail.features.apps.offers import open_pool
from handrail.features.gateway.session import INTERNAL_ERROR, LONGEST_MESSAGE, Session, offline
from handrail.features.gateway.sign_in import sign_in_grant, sign_in_hint
from handrail.kernel.visible import one_line
from handrail.ports.errors import AuthRequired, BadAnswer, Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from handrail.features.gateway.model import Server
    from handrail.ports.stores import Stores

_SESSION = "mcp-session-id"
_BOTH = "application/json, text/event-stream"
_CLOSING_SECONDS = 2.0
_LISTENING_TRIES = 3
_LISTENING_PAUSE = 1.0


class HttpChannel:
    def __init__(self, server: Server, headers: Mapping[str, str], session: Session, stores: Stores) -> None:
        assert server.url is not None
        self._server = server
        self._url = server.url
        self._own = {"user-agent": f"handrail/{handrail.__version__}", "accept-encoding": "identity", **headers}
        self._session = session
        self._stores = stores
        self._pool = open_pool()
        self._id: str | None = None
        self._version: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, message: bytes, *, is_request: bool) -> None:
        """Returns before a request is answered; any other message has arrived when this returns."""
        if is_request:
            self._in_background(self._post_request(message))
        else:
            await self._post(message)

    def set_version(self, version: str) -> None:
        self._version = version
        self._in_background(self._listen())

    def abort(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        self.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(Failure, OSError, httpcore2.NetworkError, httpcore2.ProtocolError, TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                if self._id is not None:
                    await self._pool.request("DELETE", self._url, headers=self._headers({}))
        await self._pool.aclose()

    def _in_background(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _post_request(self, message: bytes) -> None:
        """Posts a request. If that fails, the session ends, so the caller gets an error."""
        try:
            await self._post(message)
        except Failure as failure:
            self._session.fail(failure)

    async def _post(self, message: bytes) -> None:
        grant = await sign_in_grant(self._server, self._stores)
        status = await self._send_post(message, grant)
        if status == 401 and grant is not None:
            grant = await sign_in_grant(self._server, self._stores, refused=grant)
            status = await self._send_post(message, grant)
        if status in (401, 403):
            raise AuthRequired(f"{self._server.name} requires you to sign in.", hint=sign_in_hint(self._server.name))
        if status == 404 and self._id is not None:
            raise offline(self._server.name, "has ended the session")
        if status >= 400 or 300 <= status < 400:
            self._answer_for(message, f"{self._server.name} answered with status {status}.")

    async def _send_post(self, message: bytes, grant: Any) -> int:
        headers = {"content-type": "application/json", "accept": _BOTH, **(grant.headers if grant else {})}
        try:
            async with self._pool.stream(
                "POST", self._url, headers=self._headers(headers), content=message
            ) as response:
                kind = _header(response, b"content-type").partition(";")[0].strip()
                if response.status == 200:
                    self._id = _header(response, _SESSION.encode()) or self._id
                    await self._read(response, kind, message)
                elif response.status >= 400 and kind == "application/json" and response.status not in (401, 403, 404):
                    await self._read(response, kind, message)
                    return 200
                return response.status
        except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
            raise offline(self._server.name, f"can't be reached: {str(error)[:200] or type(error).__name__}") from None
        except httpcore2.ProtocolError:
            raise BadAnswer(f"{self._server.name} doesn't speak HTTP, or broke off.") from None

    async def _read(self, response: httpcore2.Response, kind: str, message: bytes) -> None:
        if kind == "text/event-stream":
            async for data in _events(response, self._server.name):
                self._session.receive(data)
            self._answer_for(message, f"{self._server.name} broke off before it answered.")
        elif kind == "application/json":
            body = bytearray()
            async for part in response.aiter_stream():
                body += part
                if len(body) > LONGEST_MESSAGE:
                    raise BadAnswer(f"{self._server.name} sent a message of more than {LONGEST_MESSAGE} bytes.")
            self._session.receive(bytes(body))
            self._answer_for(message, f"{self._server.name} answered another request than it was asked.")
        else:
            self._answer_for(
                message, f"{self._server.name} answered with {one_line(kind[:80]) or 'no content type'}, not with JSON."
            )

    def _answer_for(self, message: bytes, text: str) -> None:
        """Delivers an error to a request that has no answer yet."""
        number = msgspec.json.decode(message).get("id")
        if number is not None and self._session.is_open(number):
            error = {"code": INTERNAL_ERROR, "message": text}
            self._session.receive(msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": error}))

    async def _listen(self) -> None:
        """Receives the server's own messages, if it offers a stream for them."""
        for _ in range(_LISTENING_TRIES):
            try:
                grant = await sign_in_grant(self._server, self._stores)
                headers = {"accept": "text/event-stream", **(grant.headers if grant else {})}
                async with self._pool.stream("GET", self._url, headers=self._headers(headers)) as response:
                    if response.status != 200:
                        return
                    async for data in _events(response, self._server.name):
                        self._session.receive(data)
            except (Failure, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError):
                pass
            await asyncio.sleep(_LISTENING_PAUSE)

    def _headers(self, more: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        session = {_SESSION: self._id, "mcp-protocol-version": self._version}
        headers = {**self._own, **more, **{name: value for name, value in session.items() if value is not None}}
        return [(name.encode("latin-1"), value.encode("utf-8")) for name, value in headers.items()]


def _header(response: httpcore2.Response, header: bytes) -> str:
    return next((value.decode("latin-1") for name, value in response.headers if name.lower() == header), "")


async def _events(response: httpcore2.Response, name: str) -> AsyncIterator[bytes]:
    """Yields the data of each server-sent event."""
    rest, data = bytearray(), bytearray()
    async for part in response.aiter_stream():
        rest += part
        lines: list[bytes] = []
        if b"\n" in part:
            *lines, last = bytes(rest).replace(b"\r\n", b"\n").split(b"\n")
            rest = bytearray(last)
        for line in lines:
            if line.startswith(b"data:"):
                data += (b"\n" if data else b"") + line[5:].removeprefix(b" ")
            elif not line and data:
                yield bytes(data)
                data.clear()
        if len(rest) + len(data) > LONGEST_MESSAGE:
            raise BadAnswer(f"{name} sent a message of more than {LONGEST_MESSAGE} bytes.")
