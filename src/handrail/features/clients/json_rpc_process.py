"""A program that speaks JSON-RPC on its stdin and stdout, one message per line."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

_LONGEST_LINE = 16 * 1024 * 1024


class JsonRpcProcess:
    """`request` raises ValueError for an error, and if the program ends without answering."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def start(cls, words: Sequence[str], folder: Path) -> AsyncIterator["JsonRpcProcess"]:
        """Runs it in `folder` and ends it with the context."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, cwd=folder, limit=_LONGEST_LINE
        )
        try:
            yield cls(process)
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()

    async def request(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == number:
                if "error" in message:
                    raise ValueError(message["error"].get("message", "error"))
                return message["result"]
        raise ValueError("it ended")

    async def notify(self, method: str) -> None:
        await self._send({"jsonrpc": "2.0", "method": method})

    async def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()
