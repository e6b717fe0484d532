"""Waits for other processes or threads by polling. No other module of the tests sleeps."""

import asyncio
import inspect
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, overload

T = TypeVar("T")
PATIENCE = 100.0
"""Seconds, enough for a busy machine."""
LOOK_AGAIN = 0.005


def until(look: Callable[[], T], what: object = "", *, within: float = PATIENCE) -> T:
    """Returns what `look` returned once that is true. `what` describes it in the timeout's message; it may be a
    function.
    """
    deadline = time.monotonic() + within
    while not (value := look()):
        assert time.monotonic() < deadline, f"waited {within:g} s in vain: {what() if callable(what) else what}"
        time.sleep(LOOK_AGAIN)
    return value


@overload
async def eventually(look: Callable[[], Awaitable[T]], what: object = "", *, within: float = PATIENCE) -> T: ...
@overload
async def eventually(look: Callable[[], T], what: object = "", *, within: float = PATIENCE) -> T: ...
async def eventually(look: Callable[[], Any], what: object = "", *, within: float = PATIENCE) -> Any:
    """The same on an event loop; `look` may be a coroutine function."""
    deadline = time.monotonic() + within
    while not (value := await _seen(look())):
        assert time.monotonic() < deadline, f"waited {within:g} s in vain: {what() if callable(what) else what}"
        await asyncio.sleep(LOOK_AGAIN)
    return value


async def _seen(request: Any) -> Any:
    return await request if inspect.isawaitable(request) else request


def let_run(process: "subprocess.Popen[Any]", seconds: float) -> None:
    """Lets a process run for a while, for tests that end it at arbitrary moments."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return


async def gone(pid: int) -> None:
    await eventually(lambda: not Path(f"/proc/{pid}").exists())
