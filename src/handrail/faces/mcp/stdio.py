"""Serves MCP over stdin and stdout."""

import os

from handrail.faces.mcp.lines import LineSession
from handrail.faces.mcp.proxy.start import Handover
from handrail.faces.mcp.server import McpServer
from handrail.faces.mcp.standard_streams import claim_standard_streams
from handrail.kernel.gate import Gate
from handrail.kernel.settings import Settings
from handrail.ports.identity import Identity


async def serve(gate: Gate, identity: Identity, settings: Settings) -> None:
    """Serves until the client closes our stdin. The operating system has determined its `identity`."""
    peer = f"uid:{os.getuid()} ppid:{os.getppid()}"
    server = McpServer(gate, lambda request: (peer, identity), settings)
    async with claim_standard_streams() as (source, sink):
        await LineSession(server, source, sink, unread=Handover.unread, answered=Handover.answered).serve()
