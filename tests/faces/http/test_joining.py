"""A client whose access ends while its socket is joining."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
import socketio
import uvicorn

from handrail.faces.http.context import Feed, Record
from handrail.faces.http.credentials import Credential, Credentials
from handrail.faces.socketio.audience import Audience
from handrail.faces.socketio.rooms import NoBus
from handrail.faces.socketio.sockets import Sockets
from tests.faces.http.listener import Listener


class Access:
    """Credentials of one agent, that a person removes as soon as it has been checked once."""

    def __init__(self) -> None:
        self.checked = asyncio.Event()
        self.is_removed = False

    def of(self, scope: Any, token: str | None, page: str | None) -> Credential | None:
        self.checked.set()
        return None if self.is_removed else Credential.AGENT

    def agent(self, scope: Any, token: str | None) -> None:
        return None


async def starts_late() -> AsyncGenerator[Sequence[Record], None]:
    """A feed that keeps a joining page waiting for its first news."""
    await asyncio.sleep(60)
    yield []


async def test_a_token_that_is_revoked_while_its_socket_joins_is_refused() -> None:
    access = Access()
    feeds = {"late": Feed("news", starts_late, is_for_pages=True)}
    sockets = Sockets(cast(Credentials, access), feeds, Audience(contextlib.nullcontext), NoBus())
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(sockets.wrap(_nothing), lifespan="off", log_level="error"))
    page = Listener()
    async with sockets.run():
        serving = asyncio.create_task(server.serve([listening]))
        at = SimpleNamespace(address=f"http://127.0.0.1:{listening.getsockname()[1]}")
        joining = asyncio.create_task(page.connect(at, auth={"token": "x"}, transports=["websocket"]))  # type: ignore[arg-type]
        await access.checked.wait()
        access.is_removed = True
        await sockets.drop_invalid_clients()
        with pytest.raises(socketio.exceptions.ConnectionError):
            await joining
        await page.close()
        server.should_exit = True
        await serving


async def test_news_is_not_filtered_for_programs_that_are_not_there() -> None:
    filters: list[str] = []
    is_sent = asyncio.Event()

    async def one_piece_of_news() -> AsyncGenerator[Sequence[Record], None]:
        yield [{"event": "end"}]
        is_sent.set()
        await asyncio.Event().wait()

    def filter_for_programs() -> Callable[[Record], bool]:
        filters.append("used")
        return lambda record: True

    feeds = {"activity": Feed("records", one_piece_of_news, filter_for_programs)}
    sockets = Sockets(cast(Credentials, Access()), feeds, Audience(contextlib.nullcontext), NoBus())
    async with sockets.run():
        await is_sent.wait()
    assert not filters


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError(scope)
