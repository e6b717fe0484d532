"""An event loop for one command: SIGTERM stops it in order, as Ctrl-C does."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_TERMINATED = 128 + signal.SIGTERM


def run(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives; a call that is stopped is recorded as such before the command ends."""
    try:
        return asyncio.run(_stoppable(work))
    except asyncio.CancelledError:
        raise SystemExit(_TERMINATED) from None


async def _stoppable(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
