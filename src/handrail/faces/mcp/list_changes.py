"""Lets clients know that there are other tools than in the list that they have."""

import asyncio
import logging
from typing import Any
from weakref import WeakSet

from handrail.faces.mcp.sdk import MCPError

logger = logging.getLogger(__name__)


class Listeners:
    """The connections that have asked for a list, as long as they last."""

    def __init__(self) -> None:
        self._connections: WeakSet[Any] = WeakSet()
        self._telling: set[asyncio.Task[None]] = set()

    def add(self, session: Any) -> None:
        self._connections.add(session._connection)  # a session lasts for one request only

    def tell(self) -> None:
        for connection in list(self._connections):
            task = asyncio.get_running_loop().create_task(_tell(connection))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)


async def _tell(connection: Any) -> None:
    try:
        await connection.send_tool_list_changed()
    except (MCPError, OSError, RuntimeError) as gone:
        logger.info("a client can't be told of other tools: %s", type(gone).__name__)
