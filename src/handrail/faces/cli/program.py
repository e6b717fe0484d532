"""The program that the running command belongs to, and an event loop for the command."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

import click

from handrail.kernel.program import Program


def program() -> Program:
    instance: Program = click.get_current_context().find_root().command.program  # type: ignore[attr-defined]
    return instance


T = TypeVar("T")

_TERMINATED = 128 + signal.SIGTERM


def run(work: Coroutine[Any, Any, T]) -> T:
    """Returns the result of `work`; SIGTERM cancels it, so that a stopped call is recorded before the command ends."""
    try:
        return asyncio.run(_stoppable(work))
    except asyncio.CancelledError:
        raise SystemExit(_TERMINATED) from None


async def _stoppable(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
