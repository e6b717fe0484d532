"""Socket.IO, namespace `/mimo`: sends news of the prompt queue and the audit to every page.

The guard has already checked Host and Origin of each request, polling and WebSocket alike. Clients are authenticated
when they join the namespace: by `auth.token`, the Bearer token, or the console's cookie with `auth.page`. Their
messages go to the bus.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import engineio
import socketio
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.faces.http.answers import http_code, refused
from handrail.faces.http.context import Feed, Record
from handrail.faces.http.credentials import Credential, Credentials, is_from_own_page
from handrail.faces.http.headers import header
from handrail.faces.socketio.audience import Audience
from handrail.faces.socketio.packets import MAX_MESSAGE, TOO_LONG, Packet, StrictJson, Undecodable
from handrail.faces.socketio.rooms import Rooms, SocketBus
from handrail.ports.agents import Agent
from handrail.ports.browser_errors import error_envelope
from handrail.ports.errors import Failure

PATH = "/socket.io/"
NAMESPACE = "/mimo"
FRONTEND = "frontend"
PLUGIN = "plugin"
MAX_FRAME = 4_000_000  # larger than MAX_MESSAGE, so that the sender gets an error, not a lost connection
_PEOPLE, _PROGRAMS = "people", "programs"
"""Rooms of pages that a person has signed in to, of programs, and of agents."""
_JOIN_WITHIN = 10.0
_POST_WITHIN = 3.0
_RETRY_SECONDS = 1.0

logger = logging.getLogger(__name__)


class Sockets:
    """`feeds` maps each event for pages to its source."""

    def __init__(
        self,
        credentials: Credentials,
        feeds: Mapping[str, Feed],
        audience: Audience,
        bus: SocketBus,
        *,
        on_agent: Callable[[Scope, Agent], Awaitable[None]] | None = None,
        join_within: float = _JOIN_WITHIN,
        post_within: float = _POST_WITHIN,
    ) -> None:
        self._credentials = credentials
        self._feeds = feeds
        self._audience = audience
        self._bus = bus
        self._on_agent = on_agent
        self._join_within = join_within
        self._post_within = post_within
        self._server = socketio.AsyncServer(
            async_mode="asgi",
            async_handlers=False,  # messages of one client are handled in order
            namespaces=[NAMESPACE],
            cors_allowed_origins=[],  # the guard checks origins
            max_http_buffer_size=MAX_FRAME,
            serializer=Packet,
            json=StrictJson,
            logger=_silent_logger("socketio"),
            engineio_logger=_silent_logger("engineio"),
        )
        self._is_valid: dict[str, Callable[[], bool]] = {}
        self._pages: set[str] = set()
        self._programs: set[str] = set()
        self._has_pages = asyncio.Event()
        self._is_followed = {event: asyncio.Event() for event, feed in feeds.items() if feed.is_for_pages}
        self._server.on("connect", self._join, namespace=NAMESPACE)
        self._server.on("disconnect", self._leave, namespace=NAMESPACE)
        self._server.on("*", self._receive, namespace=NAMESPACE)
        self.rooms = Rooms(self._server, NAMESPACE, self._drop)

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def either(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] == PATH:
                await self._answer(scope, receive, send)
            elif scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": ""})
            else:
                await app(scope, receive, send)

        return either

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Sends news to pages until left."""
        publishers = [asyncio.create_task(self._publish(event, feed)) for event, feed in self._feeds.items()]
        publishers.append(asyncio.create_task(self._drop_idle_clients()))
        try:
            yield
        finally:
            for publisher in publishers:
                publisher.cancel()
            await asyncio.gather(*publishers, return_exceptions=True)
            await self._server.shutdown()

    async def close(self) -> None:
        """Closes every connection, so that none delays the server's stop."""
        for sid in list(self._server.eio.sockets):
            await self._drop(sid)

    async def drop_invalid_clients(self) -> None:
        """Disconnects clients whose token or session has ended since they joined."""
        for sid, is_valid in list(self._is_valid.items()):
            if not is_valid() and (engine_sid := self._server.manager.eio_sid_from_sid(sid, NAMESPACE)) is not None:
                await self._drop(engine_sid)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers invalid requests at once; the library would leave them waiting."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._server.handle_request(scope, receive, send)
            return
        try:
            if int(header(scope, b"content-length") or 0) <= MAX_MESSAGE:
                async with asyncio.timeout(self._post_within):
                    await self._server.handle_request(scope, receive, send)
                return
        except TimeoutError:
            pass
        await refused("BAD_REQUEST", "The message is invalid or too long.")(scope, receive, send)

    async def _drop(self, engine_sid: str) -> None:
        """Closes a connection without waiting for the client, which may have stopped reading."""
        connection = self._server.eio.sockets.pop(engine_sid, None)
        if connection is not None:
            with suppress(socketio.exceptions.SocketIOError, engineio.exceptions.EngineIOError):
                await connection.close(wait=False)
            await connection.queue.put(
                None
            )  # ends the writer and closes a WebSocket, because browsers ignore the packet

    async def _join(self, sid: str, environ: Mapping[str, Any], auth: Any = None) -> None:
        members = auth if isinstance(auth, dict) else {}
        scope: Scope = environ["asgi.scope"]
        token = members["token"] if isinstance(members.get("token"), str) else None
        kind = members.get("clientType", FRONTEND)
        page = members["page"] if isinstance(members.get("page"), str) else None
        credential = self._credentials.of(scope, token, page)
        if credential is Credential.COOKIE and not is_from_own_page(scope):
            credential = None
        is_own = kind == PLUGIN and self._bus.is_own_token(members)
        if credential is None or (credential is Credential.PLUGIN and not is_own):
            raise _connection_refused("UNAUTHORIZED", "Send `auth.token`, or the console's cookie and page secret.")
        if kind not in (FRONTEND, PLUGIN):
            raise _connection_refused("BAD_REQUEST", "`auth.clientType` must be frontend or plugin.")
        agent = self._credentials.agent(scope, token) if credential is Credential.AGENT else None
        if agent is not None and self._on_agent is not None:
            await self._on_agent(scope, agent)
        try:
            if kind == PLUGIN:
                await self._bus.join_plugin(sid, members)
            else:
                await self._join_page(sid, members, scope, page, credential, agent)
        except Failure as failure:
            raise _connection_refused(http_code(failure), failure.message) from None
        self._is_valid[sid] = lambda: self._credentials.of(scope, token, page) is not None
        if not self._is_valid[sid]():  # revoked while it joined
            await self._leave(sid, "revoked")
            raise _connection_refused("UNAUTHORIZED", "This token or session has ended.")
        if kind == FRONTEND and credential is Credential.COOKIE:
            await self._audience.add(sid)

    async def _join_page(
        self,
        sid: str,
        auth: Mapping[str, Any],
        scope: Scope,
        page: str | None,
        credential: Credential,
        agent: Agent | None,
    ) -> None:
        if credential is not Credential.AGENT:  # agents don't see a person's open tasks nor those of others
            await self._server.enter_room(sid, FRONTEND, namespace=NAMESPACE)
        room = _PEOPLE if credential is Credential.COOKIE else _PROGRAMS if agent is None else agent.identity
        await self._server.enter_room(sid, room, namespace=NAMESPACE)
        person = self._credentials.person_name(scope, page) if credential is Credential.COOKIE else None

        def may_write() -> bool:
            return person is None or self._credentials.may_write(scope, page)

        await self._bus.join_frontend(sid, auth, person=person, agent=agent, may_write=may_write)
        self._pages.add(sid)
        if room != _PEOPLE:
            self._programs.add(sid)
        self._has_pages.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(
                _RETRY_SECONDS
            ):  # so that no news falls between what the page reads next and what it is sent
                for followed in self._is_followed.values():
                    await followed.wait()

    async def _leave(self, sid: str, reason: str) -> None:
        self._is_valid.pop(sid, None)
        self._pages.discard(sid)
        self._programs.discard(sid)
        if not self._pages:
            self._has_pages.clear()
        await self._audience.remove(sid)
        await self._bus.leave(sid)

    async def _receive(self, event: str, sid: str, *data: Any) -> dict[str, Any]:
        is_valid = self._is_valid.get(sid)
        if is_valid is None or not is_valid():  # revoked a moment ago; its connection ends soon
            return error_envelope("UNAUTHORIZED", "This token or session has ended.")
        if event not in self._bus.events:
            return error_envelope("BAD_REQUEST", "Unknown event.")
        if TOO_LONG in data:
            return error_envelope("BAD_REQUEST", f"The message is longer than {MAX_MESSAGE} bytes.")
        if data and isinstance(data[0], Undecodable):
            return error_envelope("BAD_REQUEST", data[0].why)
        return await self._bus.receive(sid, event, data)

    async def _publish(self, event: str, feed: Feed) -> None:
        """Runs as long as the server; retries when the feed fails."""
        while True:
            try:
                if feed.is_for_pages:
                    await self._has_pages.wait()
                await self._forward(event, feed)
            except Failure as failure:
                logger.warning("%s can't be followed: %s", event, failure.message)
                await asyncio.sleep(_RETRY_SECONDS)

    async def _forward(self, event: str, feed: Feed) -> None:
        """Forwards news; a feed for pages is followed until the last page has disconnected."""
        is_followed = self._is_followed.get(event, asyncio.Event())
        try:
            async with aclosing(feed.follow()) as batches:
                async for news in batches:
                    is_followed.set()
                    if feed.is_for_pages and not self._pages:
                        is_followed.clear()
                        return
                    if news:
                        await self._emit(event, feed, news)
        finally:
            is_followed.clear()

    async def _emit(self, event: str, feed: Feed, news: Sequence[Record]) -> None:
        await self._server.emit(event, {feed.member: news}, room=_PEOPLE, namespace=NAMESPACE)
        if not self._programs:
            return
        visible = await asyncio.to_thread(_visible_to_programs, feed, news)
        for room, records in {_PROGRAMS: visible, **_by_owner(feed, visible)}.items():
            if records:
                await self._server.emit(event, {feed.member: records}, room=room, namespace=NAMESPACE)

    async def _drop_idle_clients(self) -> None:
        """Disconnects clients that don't join the namespace in time."""
        suspects: set[str] = set()
        while True:
            await asyncio.sleep(self._join_within)
            idle = {sid for sid in self._server.eio.sockets if not self._has_joined(sid)}
            for sid in idle & suspects:
                await self._drop(sid)
            suspects = idle - suspects

    def _has_joined(self, engine_sid: str) -> bool:
        sid = self._server.manager.sid_from_eio_sid(engine_sid, NAMESPACE)
        return sid is not None and self._server.manager.is_connected(sid, NAMESPACE)


def is_open(scope: Scope) -> bool:
    """Anyone may connect, because joining is checked; but pages that load this address like an image are refused."""
    if scope["path"] != PATH:
        return False
    return header(scope, b"origin") is not None or header(scope, b"sec-fetch-site") in (None, "same-origin", "none")


def _visible_to_programs(feed: Feed, news: Sequence[Record]) -> list[Record]:
    """The records that programs may see. Blocks."""
    return list(news if feed.shows is None else filter(feed.shows(), news))


def _by_owner(feed: Feed, news: Sequence[Record]) -> dict[str, list[Record]]:
    """The records that each agent sees."""
    owned: dict[str, list[Record]] = {}
    if feed.owner is not None:
        for record in news:
            if (owner := feed.owner(record)) is not None:
                owned.setdefault(owner, []).append(record)
    return owned


def _connection_refused(code: str, message: str) -> socketio.exceptions.ConnectionRefusedError:
    return socketio.exceptions.ConnectionRefusedError(message, {"code": code})


def _silent_logger(name: str) -> logging.Logger:
    """Silences the libraries, which log every invalid message with a stack trace."""
    quiet = logging.getLogger(f"{__name__}.{name}")
    quiet.setLevel(logging.CRITICAL)
    return quiet
