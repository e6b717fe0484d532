"""Who may come in: decided before routing, for every path, known or not, and for WebSockets alike."""

from collections.abc import Callable

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from handrail.faces.http.answers import refused
from handrail.faces.http.body import BodyLimit
from handrail.faces.http.credentials import Credential, Credentials, note
from handrail.faces.http.headers import Pairs, carrying, header, trace_id
from handrail.faces.http.origins import Origins, own_hosts

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

IsOpen = Callable[[Scope], bool]


class Guard:
    """What `is_open` names needs no credential; nothing can be reached through a foreign Host or Origin.

    A plugin's own token opens what `is_for_plugins` names, and nothing else.
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
    ) -> None:
        self._app = BodyLimit(app)
        self._hosts = own_hosts(port)
        self._credentials = credentials
        self._origins = origins
        self._is_open = is_open
        self._is_for_plugins = is_for_plugins

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
        is_borrowed = credential is Credential.COOKIE and not self._is_from_own_page(scope)
        note(scope, None if is_borrowed else credential)
        if self._is_open(scope):
            return None
        if is_borrowed:
            return refused("FORBIDDEN", "With the console's cookie this needs an Origin header that is our own.")
        if credential is Credential.PLUGIN and not self._is_for_plugins(scope):
            return refused("FORBIDDEN", "This is not for plugins: their own token does not open it.")
        if credential is not None:
            return None
        return refused(
            "UNAUTHORIZED",
            "This needs `Authorization: Bearer <token>`; the token is in server.json in the state directory.",
            headers={"www-authenticate": 'Bearer realm="handrail"'},
        )

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
