"""Connections to the desktop's host: it may end once there have been none for long enough."""

import asyncio
from typing import cast

import pytest

from handrail.faces.jsonrpc.connection import Connection, Connections


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_it_stays_open_while_connections_exist_and_ends_with_the_last_one() -> None:
    connections, one, two = Connections(), cast("Connection", object()), cast("Connection", object())
    connections.add(one)
    connections.add(two)
    ending = asyncio.create_task(connections.wait_until_unused(0))
    for who in (one, two):
        for _ in range(5):
            await asyncio.sleep(0)
        assert not ending.done()
        connections.remove(who)
    await ending
    assert list(connections.all) == []
