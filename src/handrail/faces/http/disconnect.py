"""A call that its client no longer waits for is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import Receive

T = TypeVar("T")


async def unless_gone(receive: Receive, running: Coroutine[Any, Any, T]) -> T:
    """What it comes to. ClientDisconnect: the client went away meanwhile, and the call has been stopped."""
    run, gone = asyncio.create_task(running), asyncio.create_task(_disconnect(receive))
    either: set[asyncio.Task[Any]] = {run, gone}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not run.done():
            raise ClientDisconnect
        return run.result()
    finally:
        run.cancel()
        gone.cancel()
        await asyncio.gather(run, gone, return_exceptions=True)


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
