"""Who is connected to the desktop's host: nobody for long enough, and it may end."""

import asyncio
from typing import cast

import pytest

from handrail.faces.jsonrpc.connection import Connection, Connections


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_somebody_who_is_there_keeps_it_open_and_the_last_to_leave_ends_it() -> None:
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
