"""Sign-ins to apps, stored in the state directory that all processes share, and the browser's way back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from handrail.features.apps.sign_in.oauth import matches_state
from handrail.ports.errors import InvalidParams

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.features.apps.model import App
    from handrail.features.apps.sign_in.credentials import StoredCredentials
    from handrail.features.apps.sign_in.stored import SignInLock
    from handrail.ports.secrets import SecretInfo
    from handrail.ports.stores import Stores

_LOCK_SECONDS = 40.0  # longer than a token endpoint may take


def open_credentials(stores: Stores) -> StoredCredentials:
    from handrail.features.apps.sign_in.credentials import StoredCredentials

    async def post_form(url: str, form: str) -> tuple[int, bytes]:
        from handrail.features.apps.backends import network

        return await network.post_form(url, form)

    return StoredCredentials(stores.secrets, post_form, sign_in_lock(stores))


def sign_in_lock(stores: Stores) -> SignInLock:
    def lock(app: str) -> AbstractContextManager[None]:
        name = sha256(app.encode()).hexdigest()[:16]  # an id may be as long as a file name
        return stores.lock(f"sign-in.{name}", _LOCK_SECONDS)

    return lock


async def sign_in_to(
    app: App,
    stores: Stores,
    show: Callable[[str], None],
    *,
    client_id: str | None,
    client_secret: str | None,
    timeout_seconds: float,
) -> SecretInfo:
    """Signs in through the browser, which `show` opens. InvalidParams, AuthRequired, Declined."""
    from handrail.features.apps.backends.network import post_form
    from handrail.features.apps.model import OAuth2
    from handrail.features.apps.sign_in.signing_in import choose_client, sign_in

    if not isinstance(app.auth, OAuth2):
        raise InvalidParams(f"{app.name} has no sign-in through the browser.")
    client = choose_client(app.auth, client_id, client_secret)
    return await sign_in(
        app, client, stores.secrets, sign_in_lock(stores), post_form, loopback, show, timeout_seconds=timeout_seconds
    )


_PATH = "/callback"
_LONGEST_HEAD = 16 * 1024
_SECONDS_PER_VISITOR = 10.0
_HEADERS = (
    "content-type: text/html; charset=utf-8\r\ncache-control: no-store\r\nreferrer-policy: no-referrer\r\n"
    "content-security-policy: default-src 'none'\r\nx-content-type-options: nosniff\r\nconnection: close\r\n"
)
_PAGE = "<!doctype html><meta charset=utf-8><title>handrail</title><p>{text}</p>"
_DONE = "You can close this window and go back to handrail. 可以关闭此窗口，返回 handrail。"


class Loopback:
    """A `SignInCallback`: a page on a free loopback port that the browser returns to."""

    def __init__(self) -> None:
        self.address = ""
        self._host = ""
        self._state: str | None = None
        self._query: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def query(self, state: str) -> str:
        self._state = state
        return await self._query

    def bind(self, port: int) -> None:
        self._host = f"127.0.0.1:{port}"
        self.address = f"http://{self._host}{_PATH}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_SECONDS_PER_VISITOR):
                head = await reader.readuntil(b"\r\n\r\n")
                status, text, query = self._respond(head.decode("latin-1"))
                page = _PAGE.format(text=text).encode()
                writer.write(f"HTTP/1.1 {status}\r\n{_HEADERS}content-length: {len(page)}\r\n\r\n".encode() + page)
                await writer.drain()
                if query is not None and not self._query.done():
                    self._query.set_result(query)
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            return
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def _respond(self, head: str) -> tuple[str, str, str | None]:
        """The status, the text for the person, and the query if it is the expected one."""
        request, *lines = head.split("\r\n")
        method, _, rest = request.partition(" ")
        target = rest.rpartition(" ")[0]
        path, _, query = target.partition("?")
        hosts = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
        if method != "GET" or path != _PATH or hosts != [self._host]:
            return "404 Not Found", "There is nothing here.", None
        if self._state is None or not matches_state(query, self._state):
            return "400 Bad Request", "This is not the sign-in that handrail is waiting for.", None
        if self._query.done():
            return "410 Gone", "This sign-in is over.", None
        return "200 OK", _DONE, query


@asynccontextmanager
async def loopback() -> AsyncIterator[Loopback]:
    callback = Loopback()
    server = await asyncio.start_server(callback.serve, "127.0.0.1", 0, limit=_LONGEST_HEAD)
    callback.bind(server.sockets[0].getsockname()[1])
    try:
        yield callback
    finally:
        server.close()
