"""Who is connected to the desktop's host: nobody for long enough, and it may end."""

import asyncio

import pytest

from handrail.faces.jsonrpc.audience import Audience


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_somebody_who_is_there_keeps_it_open_and_the_last_to_leave_ends_it() -> None:
    audience: Audience[str] = Audience()
    audience.enter("one")
    audience.enter("two")
    ending = asyncio.create_task(audience.gone(0))
    for who in ("one", "two"):
        for _ in range(5):
            await asyncio.sleep(0)
        assert not ending.done()
        audience.leave(who)
    await ending
    assert list(audience.present) == []
