"""Decides which requests and WebSockets are allowed, before routing and for every path."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from handrail.faces.http.answers import refused
from handrail.faces.http.body_limit import BodyLimit
from handrail.faces.http.console_key import HEADER, ConsoleKey
from handrail.faces.http.credentials import Credential, Credentials, store_agent, store_credential
from handrail.faces.http.headers import Pairs, header, trace_id, with_headers
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import InvalidParams

ORIGINS_SETTING = "MIMO_CORS_ORIGIN"
_DEFAULT = frozenset({"http://localhost:3000", "http://127.0.0.1:3000"})
_FOR_PAGES = ("/api/", "/socket.io/")
_FOR_EXTENSION = (*_FOR_PAGES, "/health")
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


def own_hosts(port: int) -> frozenset[str]:
    """All Host headers that mean this server."""
    with_port = {f"{name}:{port}" for name in _NAMES}
    return frozenset(with_port | set(_NAMES) if port == 80 else with_port)


@dataclass(frozen=True, slots=True)
class Origins:
    """Allowed origins: our own and the listed ones everywhere, contract 2's defaults for pages if none are listed.

    Our extension's exact origin is always allowed on the paths that it uses.
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
        """Whether it is the origin of the pages that this server serves."""
        return origin in self.own


def _parsed(item: str) -> str:
    origin = item.strip().lower().removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise InvalidParams(
            f"{ORIGINS_SETTING} lists {item.strip()!r}, which isn't an origin.",
            hint="List whole origins, such as http://localhost:3000, separated by commas; there are no wildcards.",
        )
    return origin


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
    """Refuses foreign Hosts and Origins, and requests without the needed credential.

    Requests that match `is_open` need no credential. A plugin's token only allows what matches `is_for_plugins`. The
    server's token allows reading and what matches `is_for_programs`; with the console's key it allows all paths.
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
        answer = self._check_origin(scope)
        if answer is None:
            extra += _cors(scope)
            answer = _preflight(scope) or self._check_credential(scope) or _check_protocol(scope)
        send = with_headers(send, extra)
        if answer is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await answer(scope, receive, send)
        else:
            await WebSocketClose(_POLICY_VIOLATION)(scope, receive, send)

    def _check_origin(self, scope: Scope) -> Response | None:
        """Compares the whole Host, against DNS rebinding, and the whole Origin, against foreign pages."""
        if (header(scope, b"host") or "").lower() not in self._hosts:
            return refused("FORBIDDEN", "The Host header doesn't name this server.")
        origin = header(scope, b"origin")
        if origin is not None and not self._origins.allow(origin, scope["path"]):
            return refused("FORBIDDEN", "Pages from this origin can't use handrail.")
        return None

    def _check_credential(self, scope: Scope) -> Response | None:
        credential = self._credentials.of(scope)
        is_own_page = self._is_from_own_page(scope)
        is_borrowed = credential is Credential.COOKIE and not is_own_page
        store_credential(scope, None if is_borrowed else credential, is_own_page=is_own_page)
        store_agent(scope, self._credentials.agent(scope) if credential is Credential.AGENT else None)
        if self._is_open(scope):
            return None
        if is_borrowed:
            return refused("FORBIDDEN", "With the console's cookie, the Origin header must be the console's own.")
        if credential is Credential.PLUGIN and not self._is_for_plugins(scope):
            return refused("FORBIDDEN", "A plugin's token doesn't allow this.")
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
        if self._console_key.matches(header(scope, HEADER.encode())):
            return True
        return scope["method"] in _READING and scope["path"] not in _FOR_AGENTS

    def _is_from_own_page(self, scope: Scope) -> bool:
        """Browsers send the cookie for other local pages too, because they treat all ports of a host as one site."""
        origin = header(scope, b"origin")
        if origin is None:
            return scope["type"] == "http" and scope["method"] in _READING
        return self._origins.is_own(origin)


def _check_protocol(scope: Scope) -> Response | None:
    if header(scope, b"x-mimo-protocol") in (None, "1"):
        return None
    return refused("BAD_REQUEST", "X-Mimo-Protocol must be 1.")


def _preflight(scope: Scope) -> Response | None:
    """Answers a browser's CORS preflight, which has no credential."""
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
