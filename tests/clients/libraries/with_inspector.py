"""The Inspector's command line: one process for each call."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chat import converse
from session import SERVER, Work, drive

INSPECTOR = Path(__file__).parent / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


async def inspect(*words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        os.environ["NODE"], INSPECTOR, "--cli", *SERVER, "--format", "json", *words, stdout=asyncio.subprocess.PIPE
    )
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    return out.decode() or f"It ended with {process.returncode}."


async def call(name: str, arguments: dict[str, Any]) -> str:
    return await inspect("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))


@asynccontextmanager
async def agent() -> AsyncIterator[Work]:
    tools = json.loads(await inspect("--method", "tools/list"))["result"]["tools"]

    async def work(prompt: str) -> str:
        return await converse(prompt, tools, call)

    yield work


drive(agent())
