"""Who may come in: decided before routing, for every path, known or not, and for WebSockets alike."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from handrail.faces.http.answers import refused
from handrail.faces.http.console_key import HEADER, ConsoleKey
from handrail.faces.http.credentials import Credential, Credentials, note, note_agent
from handrail.faces.http.headers import Pairs, carrying, header, trace_id
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import InvalidParams

ORIGINS_SETTING = "MIMO_CORS_ORIGIN"
_DEFAULT = frozenset({"http://localhost:3000", "http://127.0.0.1:3000"})
_FOR_PAGES = ("/api/", "/socket.io/")
_FOR_EXTENSION = (*_FOR_PAGES, "/health")
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


def own_hosts(port: int) -> frozenset[str]:
    """Every Host header that means this server."""
    with_port = {f"{name}:{port}" for name in _NAMES}
    return frozenset(with_port | set(_NAMES) if port == 80 else with_port)


@dataclass(frozen=True, slots=True)
class Origins:
    """Our own and the listed ones everywhere; contract 2's default ones, when none are listed, where pages call.

    Our extension's exact origin is always allowed where it calls.
    """

    own: frozenset[str]
    listed: frozenset[str]
    api: frozenset[str]

    @classmethod
    def of(cls, port: int, setting: str | None) -> Self:
        own = frozenset(f"http://{host}" for host in own_hosts(port))
        if setting is None:
            return cls(own, frozenset(), _DEFAULT)
        return cls(own, frozenset(_parsed(item) for item in setting.split(",") if item.strip()), frozenset())

    def allow(self, origin: str, path: str) -> bool:
        if origin == EXTENSION_ORIGIN:
            return path.startswith(_FOR_EXTENSION)
        return origin in self.own or origin in self.listed or (origin in self.api and path.startswith(_FOR_PAGES))

    def is_own(self, origin: str) -> bool:
        """True for the pages that this server serves itself."""
        return origin in self.own


def _parsed(item: str) -> str:
    origin = item.strip().lower().removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise InvalidParams(
            f"{ORIGINS_SETTING} lists {item.strip()!r}, which isn't an origin.",
            hint="List whole origins, such as http://localhost:3000, separated by commas; there are no wildcards.",
        )
    return origin


MAX_BODY = 32 * 1024 * 1024
_GONE: Message = {"type": "http.disconnect"}


class BodyLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if _declared(scope) > MAX_BODY:
                await _too_large()(scope, receive, send)
                return
            counted = _Counted(scope, receive, send)
            receive, send = counted.receive, counted.send
        await self._app(scope, receive, send)


class _Counted:
    """A body that grows too long is answered here; to the app it looks as if the client had gone."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._count = 0
        self._is_over = False
        self._has_answered = False

    async def receive(self) -> Message:
        if self._is_over:
            return _GONE
        message = await self._receive()
        self._count += len(message.get("body", b""))
        if self._count <= MAX_BODY:
            return message
        self._is_over = True
        if not self._has_answered:
            await _too_large()(self._scope, self._receive, self._send)
        return _GONE

    async def send(self, message: Message) -> None:
        if not self._is_over:
            self._has_answered = True
            await self._send(message)


def _declared(scope: Scope) -> int:
    """The parser has refused a Content-Length that is not a number, or that stands twice."""
    return int(header(scope, b"content-length") or 0)


def _too_large() -> Response:
    return refused("BAD_REQUEST", f"The body is larger than {MAX_BODY} bytes.", status=413)


_PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": (
        "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, "
        "mcp-session-id, x-mimo-protocol, x-task-id, x-timeout-ms, x-trace-id"
    ),
    "access-control-max-age": "600",
}
_EXPOSED = b"mcp-session-id, x-trace-id"
_POLICY_VIOLATION = 1008
_READING = ("GET", "HEAD", "OPTIONS")
_FOR_AGENTS = ("/mcp", "/mcp/")

NEEDS_AGENT = (
    "The server's own token reads and posts prompts. This needs an agent's own token: a person issues one with "
    "`handrail agents add NAME` or in the console."
)

IsOpen = Callable[[Scope], bool]


class Guard:
    """What `is_open` names needs no credential; nothing can be reached through a foreign Host or Origin.

    A plugin's own token opens what `is_for_plugins` names, and nothing else. The server's own token reads, and opens
    what `is_for_programs` names; with the console's key it is a person's own program, which may do more.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: int,
        credentials: Credentials,
        origins: Origins,
        is_open: IsOpen,
        is_for_plugins: IsOpen,
        is_for_programs: IsOpen,
        console_key: ConsoleKey,
    ) -> None:
        self._app = BodyLimit(app)
        self._hosts = own_hosts(port)
        self._credentials = credentials
        self._origins = origins
        self._is_open = is_open
        self._is_for_plugins = is_for_plugins
        self._is_for_programs = is_for_programs
        self._console_key = console_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extra: Pairs = []
        if (trace := trace_id(scope)) is not None:
            extra.append((b"x-trace-id", trace.encode()))
        answer = self._foreign(scope)
        if answer is None:
            extra += _cors(scope)
            answer = _preflight(scope) or self._stranger(scope) or _other_protocol(scope)
        send = carrying(send, extra)
        if answer is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await answer(scope, receive, send)
        else:
            await WebSocketClose(_POLICY_VIOLATION)(scope, receive, send)

    def _foreign(self, scope: Scope) -> Response | None:
        """Against DNS rebinding the Host, against other people's pages the Origin; both compared whole."""
        if (header(scope, b"host") or "").lower() not in self._hosts:
            return refused("FORBIDDEN", "The Host header does not name this server.")
        origin = header(scope, b"origin")
        if origin is not None and not self._origins.allow(origin, scope["path"]):
            return refused("FORBIDDEN", "Pages of this origin may not talk to handrail.")
        return None

    def _stranger(self, scope: Scope) -> Response | None:
        credential = self._credentials.of(scope)
        is_own_page = self._is_from_own_page(scope)
        is_borrowed = credential is Credential.COOKIE and not is_own_page
        note(scope, None if is_borrowed else credential, is_own_page=is_own_page)
        note_agent(scope, self._credentials.agent(scope) if credential is Credential.AGENT else None)
        if self._is_open(scope):
            return None
        if is_borrowed:
            return refused("FORBIDDEN", "With the console's cookie this needs an Origin header that is our own.")
        if credential is Credential.PLUGIN and not self._is_for_plugins(scope):
            return refused("FORBIDDEN", "This is not for plugins: their own token does not open it.")
        if credential is Credential.TOKEN and not self._may_program(scope):
            return refused("FORBIDDEN", NEEDS_AGENT)
        if credential is not None:
            return None
        return refused(
            "UNAUTHORIZED",
            "This needs `Authorization: Bearer <token>`; `handrail agents add NAME` issues a token.",
            headers={"www-authenticate": 'Bearer realm="handrail"'},
        )

    def _may_program(self, scope: Scope) -> bool:
        if scope["type"] != "http" or self._is_for_programs(scope):
            return True
        if self._console_key.is_right(header(scope, HEADER.encode())):
            return True
        return scope["method"] in _READING and scope["path"] not in _FOR_AGENTS

    def _is_from_own_page(self, scope: Scope) -> bool:
        """A browser sends the cookie for other local pages too: to it, all ports of a host are one site."""
        origin = header(scope, b"origin")
        if origin is None:
            return scope["type"] == "http" and scope["method"] in _READING
        return self._origins.is_own(origin)


def _other_protocol(scope: Scope) -> Response | None:
    if header(scope, b"x-mimo-protocol") in (None, "1"):
        return None
    return refused("BAD_REQUEST", "X-Mimo-Protocol must be 1.")


def _preflight(scope: Scope) -> Response | None:
    """A browser's question before a cross-origin call; it can't carry the token."""
    if scope["type"] != "http" or scope["method"] != "OPTIONS" or header(scope, b"origin") is None:
        return None
    if header(scope, b"access-control-request-method") is None:
        return None
    return Response(status_code=204, headers=_PREFLIGHT)


def _cors(scope: Scope) -> Pairs:
    origin = header(scope, b"origin")
    if origin is None:
        return []
    return [(b"access-control-allow-origin", origin.encode("latin-1")), (b"access-control-expose-headers", _EXPOSED)]
