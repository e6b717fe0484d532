"""Socket.IO, namespace `/mimo`: what is added to the queue and to the record, told to every page as it happens.

The guard has checked Host and Origin of each request, polling and WebSocket alike. Who may come in is decided when a
client joins the namespace: by `auth.token`, by the Bearer token, or by the console's cookie with `auth.page`. What
clients say is the bus's business, which is handed in.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import engineio
import msgspec
import socketio
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.faces.http.answers import http_code, refused
from handrail.faces.http.context import Feed, Record
from handrail.faces.http.credentials import Credential, Credentials, is_from_own_page
from handrail.faces.http.headers import header
from handrail.faces.socketio.rooms import Rooms, SocketBus
from handrail.kernel import strict_json
from handrail.ports.agents import Agent
from handrail.ports.browser_errors import error_envelope
from handrail.ports.errors import Failure
from handrail.ports.waiting import enter_in_thread

Watching = Callable[[], AbstractContextManager[None]]


class Audience:
    """`watching` is entered when the first comes and left when the last goes; it may block."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching
        self._present: set[str] = set()
        self._held = AsyncExitStack()
        self._turn = asyncio.Lock()

    async def come(self, who: str) -> None:
        async with self._turn:
            if not self._present:
                await self._held.enter_async_context(enter_in_thread(self._watching()))
            self._present.add(who)

    async def go(self, who: str) -> None:
        async with self._turn:
            self._present.discard(who)
            if not self._present:
                await self._held.aclose()


PATH = "/socket.io/"
NAMESPACE = "/mimo"
FRONTEND = "frontend"
PLUGIN = "plugin"
MAX_MESSAGE = 1_000_000
MAX_FRAME = 4_000_000  # so that who sends too much is told so, and not cut off at once
_PEOPLE, _PROGRAMS, _AGENTS = "people", "programs", "agents"
"""Rooms of the pages that a person has signed in to, of agents, and of all others."""
_JOIN_WITHIN = 10.0
_POST_WITHIN = 3.0
_AGAIN_AFTER = 1.0
_EVENT = re.compile(r'\s*\[\s*"([A-Za-z_]{0,64})"')

TOO_LONG = object()
"""Stands for what was not even looked at."""


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Stands for what our decoder refused, and says why."""

    why: str


logger = logging.getLogger(__name__)


class Sockets:
    """`feeds` maps an event to its source: the member with the news, and how to follow it."""

    def __init__(
        self,
        credentials: Credentials,
        feeds: Mapping[str, Feed],
        audience: Audience,
        bus: SocketBus,
        *,
        join_within: float = _JOIN_WITHIN,
        post_within: float = _POST_WITHIN,
    ) -> None:
        self._credentials = credentials
        self._feeds = feeds
        self._audience = audience
        self._bus = bus
        self._join_within = join_within
        self._post_within = post_within
        self._server = socketio.AsyncServer(
            async_mode="asgi",
            async_handlers=False,  # what one client says is heard in its order
            namespaces=[NAMESPACE],
            cors_allowed_origins=[],  # the guard's business
            max_http_buffer_size=MAX_FRAME,
            json=_Json,
            logger=_silent("socketio"),
            engineio_logger=_silent("engineio"),
        )
        self._is_known: dict[str, Callable[[], bool]] = {}
        self._pages: set[str] = set()
        self._has_pages = asyncio.Event()
        self._is_followed = {event: asyncio.Event() for event, feed in feeds.items() if feed.is_for_pages}
        self._server.on("connect", self._join, namespace=NAMESPACE)
        self._server.on("disconnect", self._leave, namespace=NAMESPACE)
        self._server.on("*", self._hear, namespace=NAMESPACE)
        self.rooms = Rooms(self._server, NAMESPACE, self._drop)

    def around(self, app: ASGIApp) -> ASGIApp:
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
        """Sends news to pages while inside."""
        tellers = [asyncio.create_task(self._tell(event, feed)) for event, feed in self._feeds.items()]
        tellers.append(asyncio.create_task(self._send_idlers_away()))
        try:
            yield
        finally:
            for teller in tellers:
                teller.cancel()
            await asyncio.gather(*tellers, return_exceptions=True)
            await self._server.shutdown()

    async def close(self) -> None:
        """Ends every connection, so that none delays the server's stop."""
        for sid in list(self._server.eio.sockets):
            await self._drop(sid)

    async def send_strangers_away(self) -> None:
        """Disconnects clients whose token or session has ended since they joined."""
        for sid, is_known in list(self._is_known.items()):
            if not is_known() and (engine_sid := self._server.manager.eio_sid_from_sid(sid, NAMESPACE)) is not None:
                await self._drop(engine_sid)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers invalid requests at once, which the library would leave waiting."""
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
        await refused("BAD_REQUEST", "This isn't a message, or too long a one.")(scope, receive, send)

    async def _drop(self, engine_sid: str) -> None:
        """Doesn't wait: a client that doesn't read would never receive it."""
        connection = self._server.eio.sockets.pop(engine_sid, None)
        if connection is not None:
            with suppress(socketio.exceptions.SocketIOError, engineio.exceptions.EngineIOError):
                await connection.close(wait=False)
            await connection.queue.put(None)  # ends the writer, and with it a WebSocket: browsers don't heed the packet

    async def _join(self, sid: str, environ: Mapping[str, Any], auth: Any = None) -> None:
        given = auth if isinstance(auth, dict) else {}
        scope: Scope = environ["asgi.scope"]
        token = given["token"] if isinstance(given.get("token"), str) else None
        kind = given.get("clientType", FRONTEND)
        page = given["page"] if isinstance(given.get("page"), str) else None
        credential = self._credentials.of(scope, token, page)
        if credential is Credential.COOKIE and not is_from_own_page(scope):
            credential = None
        is_own = kind == PLUGIN and self._bus.is_own_token(given)
        if credential is None or (credential is Credential.PLUGIN and not is_own):
            raise _unwelcome("UNAUTHORIZED", "This needs `auth.token`, or the console's cookie with its page's secret.")
        if kind not in (FRONTEND, PLUGIN):
            raise _unwelcome("BAD_REQUEST", "`auth.clientType` must be frontend or plugin.")
        agent = self._credentials.agent(scope, token) if credential is Credential.AGENT else None
        try:
            if kind == PLUGIN:
                await self._bus.join_plugin(sid, given)
            else:
                await self._join_page(sid, given, scope, page, credential, agent)
        except Failure as failure:
            raise _unwelcome(http_code(failure), failure.message) from None
        self._is_known[sid] = lambda: self._credentials.of(scope, token, page) is not None
        if kind == FRONTEND and credential is Credential.COOKIE:
            await self._audience.come(sid)

    async def _join_page(
        self,
        sid: str,
        given: Mapping[str, Any],
        scope: Scope,
        page: str | None,
        credential: Credential,
        agent: Agent | None,
    ) -> None:
        if credential is not Credential.AGENT:  # what a person has open, and others' tasks, are not an agent's business
            await self._server.enter_room(sid, FRONTEND, namespace=NAMESPACE)
        room = {Credential.COOKIE: _PEOPLE, Credential.AGENT: _AGENTS}.get(credential, _PROGRAMS)
        await self._server.enter_room(sid, room, namespace=NAMESPACE)
        person = self._credentials.person_name(scope, page) if credential is Credential.COOKIE else None
        await self._bus.join_frontend(sid, given, person=person, agent=agent)
        self._pages.add(sid)
        self._has_pages.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_AGAIN_AFTER):  # what the page reads next and what it is told leave no gap
                for followed in self._is_followed.values():
                    await followed.wait()

    async def _leave(self, sid: str, reason: str) -> None:
        self._is_known.pop(sid, None)
        self._pages.discard(sid)
        if not self._pages:
            self._has_pages.clear()
        await self._audience.go(sid)
        await self._bus.leave(sid)

    async def _hear(self, event: str, sid: str, *data: Any) -> dict[str, Any]:
        if event not in self._bus.events:
            return error_envelope("BAD_REQUEST", "No event of this name is known here.")
        if TOO_LONG in data:
            return error_envelope("BAD_REQUEST", f"The message is longer than {MAX_MESSAGE} bytes.")
        if data and isinstance(data[0], Undecodable):
            return error_envelope("BAD_REQUEST", data[0].why)
        return await self._bus.hear(sid, event, data)

    async def _tell(self, event: str, feed: Feed) -> None:
        """Runs as long as the server; retries what can't be followed now."""
        while True:
            try:
                if feed.is_for_pages:
                    await self._has_pages.wait()
                await self._pass_on(event, feed)
            except Failure as failure:
                logger.warning("%s can't be followed: %s", event, failure.message)
                await asyncio.sleep(_AGAIN_AFTER)

    async def _pass_on(self, event: str, feed: Feed) -> None:
        """Until the last page has gone, where the feed is for pages."""
        is_followed = self._is_followed.get(event, asyncio.Event())
        try:
            async with aclosing(feed.follow()) as following:
                async for news in following:
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
        if shown := await asyncio.to_thread(_shown, feed, news):
            for room in (_PROGRAMS, _AGENTS) if feed.is_for_agents else (_PROGRAMS,):
                await self._server.emit(event, {feed.member: shown}, room=room, namespace=NAMESPACE)

    async def _send_idlers_away(self) -> None:
        """Disconnects clients that did not join the namespace in time."""
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
    """Connecting is open, joining is not. Pages that load this address like a picture are refused."""
    if scope["path"] != PATH:
        return False
    return header(scope, b"origin") is not None or header(scope, b"sec-fetch-site") in (None, "same-origin", "none")


class _Json:
    """Our strict decoder for messages from outside. The library expects ValueError for invalid JSON."""

    @staticmethod
    def dumps(value: Any, **style: Any) -> str:
        return msgspec.json.encode(value).decode()

    @staticmethod
    def loads(text: str) -> Any:
        if len(text) > MAX_MESSAGE and (named := _EVENT.match(text)) is not None:
            return [named[1], TOO_LONG]
        try:
            return strict_json.decode(text, max_bytes=MAX_MESSAGE)
        except Failure as failure:
            if (named := _EVENT.match(text)) is not None:  # so that who sent it is told, and does not wait in vain
                return [named[1], Undecodable(failure.message)]
            raise ValueError(failure.message) from None


def _shown(feed: Feed, news: Sequence[Record]) -> Sequence[Record]:
    """What programs may see of it. Blocks."""
    return news if feed.shows is None else list(filter(feed.shows(), news))


def _unwelcome(code: str, message: str) -> socketio.exceptions.ConnectionRefusedError:
    return socketio.exceptions.ConnectionRefusedError(message, {"code": code})


def _silent(name: str) -> logging.Logger:
    """The libraries log invalid messages with a stack trace; we log what matters ourselves."""
    quiet = logging.getLogger(f"{__name__}.{name}")
    quiet.setLevel(logging.CRITICAL)
    return quiet
