"""Starts handrail exactly as a client's configuration says, and makes one read through it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.features.clients.client import Client, Home, Launch
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.json_lines import JsonLines
from handrail.ports.errors import NotFound, Offline, Timeout

_PATIENCE_SECONDS = 60.0
_PROTOCOL = "2025-06-18"
_READ = "get_runtime_info"


@dataclass(frozen=True, slots=True)
class Trial:
    """What a client will find: how many tools, the project that they work on, and whether it says that hooks run."""

    tools: int
    project: str
    runs_hooks: bool | None = None
    """None for a client that doesn't say so."""


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
    async with JsonLines.started(words, folder) as server:
        client = {"name": "handrail connect", "version": "1"}
        await server.request("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        await server.notify("notifications/initialized")
        tools = (await server.request("tools/list"))["tools"]
        read = await server.request("tools/call", name=_READ, arguments={})
        return Trial(len(tools), read["structuredContent"]["projectRoot"])
