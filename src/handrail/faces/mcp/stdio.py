"""MCP over stdin and stdout."""

import os

from handrail.faces.mcp.lines import LineSession
from handrail.faces.mcp.proxy.start import Left
from handrail.faces.mcp.server import McpServer
from handrail.faces.mcp.standard_streams import claimed
from handrail.kernel.gate import Gate
from handrail.kernel.settings import Settings
from handrail.ports.identity import Identity


async def serve(gate: Gate, identity: Identity, settings: Settings) -> None:
    """Until the client, whose `identity` the kernel has told, closes our stdin."""
    peer = f"uid:{os.getuid()} ppid:{os.getppid()}"
    server = McpServer(gate, lambda request: (peer, identity), settings)
    async with claimed() as (source, sink):
        await LineSession(server, source, sink, waiting=Left.waiting, answered=Left.answered).serve()
