"""Shared by the scripts in this folder: their settings, and how SIGINT cancels an agent's work."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

PROMPT, MODEL_URL = sys.argv[1:3]
MODEL = "scripted"
SERVER: list[str] = json.loads(os.environ["MCP_SERVER"])
"""The command that starts handrail."""
CALL_SECONDS = float(os.environ.get("CALL_SECONDS", 3600))
"""How long a tool call may take."""

Work = Callable[[str], Awaitable[str]]


def drive(agent: AbstractAsyncContextManager[Work]) -> None:
    """Runs one piece of work. If SIGINT cancels it, or a call takes too long, the same session starts another."""
    asyncio.run(_drive(agent))


async def _drive(agent: AbstractAsyncContextManager[Work]) -> None:
    async with agent as work:
        task = asyncio.ensure_future(work(PROMPT))
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
        try:
            print(await task)
        except (asyncio.CancelledError, Exception) as error:
            print(repr(error), flush=True)
            print(await work("Go on."))
