"""Starts handrail exactly as a client's configuration says, and makes one read through it."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.features.clients.client import Client, Home, Launch
from handrail.features.clients.config_file import ConfigFile
from handrail.ports.errors import NotFound, Offline, Timeout

_PATIENCE_SECONDS = 60.0
_LONGEST_LINE = 16 * 1024 * 1024
_PROTOCOL = "2025-06-18"
_READ = "get_runtime_info"


@dataclass(frozen=True, slots=True)
class Trial:
    """What a client will find: how many tools, and the project that they work on."""

    tools: int
    project: str


async def try_connection(client: Client, home: Home, launch: Launch, folder: Path) -> Trial:
    """NotFound: the entry is not in the file. Offline, Timeout: what it starts does not answer."""
    entry = client.edits(home, launch)[0]
    configured = ConfigFile(entry.file).get(entry.keys)
    if not isinstance(configured, dict) or "command" not in configured:
        raise NotFound(f"{entry.file} has no entry {'.'.join(entry.keys)} that starts a program.")
    command = configured["command"]
    words = command if isinstance(command, list) else [command, *configured.get("args", [])]
    if client.workspace is not None:
        words = [word.replace(client.workspace, str(folder)) for word in words]
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return await _asked([str(word) for word in words], folder)
    except TimeoutError:
        raise Timeout(f"{words[0]} did not answer within {_PATIENCE_SECONDS:g} s.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Offline(f"{words[0]} does not answer as an MCP server: {error}.") from None


async def _asked(words: Sequence[str], folder: Path) -> Trial:
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        *words, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, cwd=folder, limit=_LONGEST_LINE
    )
    try:
        client = {"name": "handrail connect", "version": "1"}
        await _request(server, 1, "initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        await _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = (await _request(server, 2, "tools/list"))["tools"]
        read = await _request(server, 3, "tools/call", name=_READ, arguments={})
        return Trial(len(tools), read["structuredContent"]["projectRoot"])
    finally:
        with suppress(ProcessLookupError):
            server.terminate()
        await server.wait()


async def _request(server: asyncio.subprocess.Process, number: int, method: str, **params: Any) -> Any:
    await _send(server, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert server.stdout is not None
    while line := await server.stdout.readline():
        message = json.loads(line)
        if message.get("id") == number:
            if "error" in message:
                raise ValueError(message["error"].get("message", "error"))
            return message["result"]
    raise ValueError("it ended")


async def _send(server: asyncio.subprocess.Process, message: Any) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps(message).encode() + b"\n")
    await server.stdin.drain()
