"""Starts handrail exactly as a client's configuration says, and reads once through it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.features.clients.client import Client, Launch, UserFolders
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.json_rpc_process import JsonRpcProcess
from handrail.ports.errors import NotFound, Offline, Timeout

_TIMEOUT_SECONDS = 60.0
_PROTOCOL = "2025-06-18"
_READ = "get_runtime_info"


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What the client will get: the number of tools, their project, and whether it says that hooks run."""

    tools: int
    project: str
    runs_hooks: bool | None = None
    """None for a client that doesn't report it."""


async def check_connection(client: Client, home: UserFolders, launch: Launch, folder: Path) -> ConnectionTest:
    """NotFound if the file has no such entry. Offline or Timeout if the program doesn't answer."""
    entry = client.edits(home, launch)[0]
    configured = ConfigFile(entry.file).get(entry.keys)
    if not isinstance(configured, dict) or "command" not in configured:
        raise NotFound(f"{entry.file} has no entry {'.'.join(entry.keys)} that starts a program.")
    command = configured["command"]
    words = command if isinstance(command, list) else [command, *configured.get("args", [])]
    if client.workspace is not None:
        words = [word.replace(client.workspace, str(folder)) for word in words]
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            return await _connect([str(word) for word in words], folder)
    except TimeoutError:
        raise Timeout(f"{words[0]} did not answer within {_TIMEOUT_SECONDS:g} s.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Offline(f"{words[0]} does not answer as an MCP server: {error}.") from None


async def _connect(words: Sequence[str], folder: Path) -> ConnectionTest:
    async with JsonRpcProcess.start(words, folder) as server:
        client = {"name": "handrail connect", "version": "1"}
        await server.request("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        await server.notify("notifications/initialized")
        tools = (await server.request("tools/list"))["tools"]
        read = await server.request("tools/call", name=_READ, arguments={})
        return ConnectionTest(len(tools), read["structuredContent"]["projectRoot"])
