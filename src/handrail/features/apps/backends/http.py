"""Apps behind HTTP: one request per call, limited responses, no redirects to other hosts."""

import asyncio

import httpcore2

import handrail
from handrail.features.apps.backends.network import CheckedNetwork, WrongPlace
from handrail.features.apps.calls.envelopes import MAX_REPLY
from handrail.features.apps.calls.http_call import HttpCall, http_call, redirected, reply_from, without_echo
from handrail.features.apps.model import App, AppRequest, AppTool, Credentials, Grant
from handrail.ports.errors import BadAnswer, InvalidParams, Offline

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 3
_UNAUTHORIZED = 401


class HttpTransport:
    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._pool: httpcore2.AsyncConnectionPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        grant = Grant() if app.auth is None else await self._credentials.grant(app)
        response = await self._followed(app, http_call(app, tool, request, grant))
        if response.status == _UNAUTHORIZED and app.auth is not None:
            grant = await self._credentials.renew(app, grant)
            response = await self._followed(app, http_call(app, tool, request, grant))
        try:
            reply = reply_from(response.status, response.content_type, response.body, tool, request)
            return without_echo(reply, grant)
        except InvalidParams as wrong:
            raise BadAnswer(f"{app.id} answered with JSON that can't be read: {wrong.message}") from None

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    async def _followed(self, app: App, call: HttpCall) -> "_Response":
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._sent(app, call)
            if response.status not in _REDIRECTS:
                return response
            onward = redirected(call, response.status, response.location)
            if onward is None:
                raise BadAnswer(f"{app.id} answered with a redirect to another place, which is not followed.")
            call = onward
        raise BadAnswer(f"{app.id} answered with one redirect after the other.")

    async def _sent(self, app: App, call: HttpCall) -> "_Response":
        headers = {**call.headers, "accept-encoding": "identity", "user-agent": f"handrail/{handrail.__version__}"}
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        try:
            async with self._open_pool().stream(call.method, call.url, headers=pairs, content=call.body) as response:
                return await _read(app, response)
        except WrongPlace as wrong:
            raise Offline(f"{app.id} is not called: {wrong}.", reason="private_address") from None
        except httpcore2.LocalProtocolError:  # its words quote headers, and so a key
            raise InvalidParams(f"{app.id} can't be asked this: it makes no request of HTTP.") from None
        except httpcore2.RemoteProtocolError as error:
            raise Offline(f"{app.id} broke off, or does not speak HTTP: {str(error)[:200]}") from None
        except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
            raise Offline(f"{app.id} is not to be reached: {str(error)[:200] or type(error).__name__}") from None

    def _open_pool(self) -> httpcore2.AsyncConnectionPool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            self._loop = loop
            # A connection carries one call: an answer too many on it would be taken for that of the next.
            self._pool = httpcore2.AsyncConnectionPool(
                max_connections=None, max_keepalive_connections=0, network_backend=CheckedNetwork()
            )
        return self._pool


class _Response:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.location = headers.get("location", "")
        self.content_type = headers.get("content-type", "").lower()
        self.body = body


async def _read(app: App, response: httpcore2.Response) -> _Response:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    if headers.get("content-encoding", "identity") not in ("identity", ""):
        raise BadAnswer(f"{app.id} answered in a compressed form that it was not asked for.")
    body = bytearray()
    async for part in response.aiter_stream():
        body += part
        if len(body) > MAX_REPLY:
            raise BadAnswer(f"{app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY)
    return _Response(response.status, headers, bytes(body))
