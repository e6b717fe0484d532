"""Apps over HTTP: one request per call, limited responses, no redirects to other hosts."""

import asyncio

import httpcore2

import handrail
from handrail.features.apps.backends.network import CheckedNetwork, PrivateAddress
from handrail.features.apps.calls.envelopes import MAX_REPLY
from handrail.features.apps.calls.http_call import HttpCall, follow_redirect, http_call, mask_credentials, to_reply
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
        response = await self._follow(app, http_call(app, tool, request, grant))
        if response.status == _UNAUTHORIZED and app.auth is not None:
            grant = await self._credentials.renew(app, grant)
            response = await self._follow(app, http_call(app, tool, request, grant))
        try:
            reply = to_reply(response.status, response.content_type, response.body, tool, request)
            return mask_credentials(reply, grant)
        except InvalidParams as failure:
            raise BadAnswer(f"{app.id} answered with JSON that can't be read: {failure.message}") from None

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    async def _follow(self, app: App, call: HttpCall) -> "_Response":
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._send(app, call)
            if response.status not in _REDIRECTS:
                return response
            next_call = follow_redirect(call, response.status, response.location)
            if next_call is None:
                raise BadAnswer(f"{app.id} answered with a redirect to another host, which isn't followed.")
            call = next_call
        raise BadAnswer(f"{app.id} answered with one redirect after another.")

    async def _send(self, app: App, call: HttpCall) -> "_Response":
        headers = {**call.headers, "accept-encoding": "identity", "user-agent": f"handrail/{handrail.__version__}"}
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        try:
            async with self._open_pool().stream(call.method, call.url, headers=pairs, content=call.body) as response:
                return await _read(app, response)
        except PrivateAddress as error:
            raise Offline(f"{app.id} is not called: {error}.", reason="private_address") from None
        except httpcore2.LocalProtocolError:  # its message quotes headers, which contain the key
            raise InvalidParams(f"{app.id} can't be called: the request isn't valid HTTP.") from None
        except httpcore2.RemoteProtocolError as error:
            raise Offline(f"{app.id} disconnected, or doesn't speak HTTP: {str(error)[:200]}") from None
        except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
            raise Offline(f"{app.id} can't be reached: {str(error)[:200] or type(error).__name__}") from None

    def _open_pool(self) -> httpcore2.AsyncConnectionPool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            self._loop = loop
            # One call per connection: otherwise a surplus answer would be taken for the answer to the next call.
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
        raise BadAnswer(f"{app.id} answered in a compressed form that wasn't requested.")
    body = bytearray()
    async for part in response.aiter_stream():
        body += part
        if len(body) > MAX_REPLY:
            raise BadAnswer(f"{app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY)
    return _Response(response.status, headers, bytes(body))
