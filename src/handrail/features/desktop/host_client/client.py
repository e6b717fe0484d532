"""The port to the host over its socket: one kept connection, made again when it breaks, and calls with their `meta`.

Where the host is, and whether it has to be started first, is somebody else's business: `find` gives a connection.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from handrail.features.desktop.host_client.connection import Connection
from handrail.features.desktop.host_client.refusals import failure_of
from handrail.ports.errors import NotReady, Timeout

SCHEMA_VERSION = 1
_STARTS_WITHIN = 15.0
_LOOK_EVERY_SECONDS = 0.05
_GRACE_SECONDS = 5.0  # the host keeps the time itself: this is for one that is stuck


class HostClient:
    """`workspace` is the project's folder, without links in its path; the host leaves its evidence there."""

    def __init__(self, workspace: str, find: Callable[[], Awaitable[Connection]]) -> None:
        self._workspace = workspace
        self._find = find
        self._turn = asyncio.Lock()
        self._connection: Connection | None = None

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_ms: int,
        request_id: str | None = None,
        meta: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        clock = asyncio.get_running_loop().time
        until = clock() + min(timeout_ms / 1000, _STARTS_WITHIN)
        while True:
            connection = await self._connected()
            try:
                return await asked(
                    connection, self._workspace, method, params, timeout_ms=timeout_ms, request_id=request_id, meta=meta
                )
            except NotReady:  # nothing was done: the host is still starting
                if clock() >= until:
                    raise
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _connected(self) -> Connection:
        async with self._turn:
            if self._connection is None or not self._connection.is_open:
                await self.close()
                self._connection = await self._find()
            return self._connection


async def asked(
    connection: Connection,
    workspace: str,
    method: str,
    params: Mapping[str, Any],
    *,
    timeout_ms: int,
    request_id: str | None = None,
    meta: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """One call over one connection."""
    id = request_id or str(uuid4())
    base = {"schemaVersion": SCHEMA_VERSION, "requestId": id, "workspacePath": workspace, "timeoutMs": timeout_ms}
    try:
        async with asyncio.timeout(timeout_ms / 1000 + _GRACE_SECONDS):
            answer = await connection.ask(id, method, {"meta": {**base, **meta}, **params})
    except TimeoutError:
        raise Timeout(f"The desktop's host has not answered {method} in time.", timeoutMs=timeout_ms) from None
    except asyncio.CancelledError:
        own = str(uuid4())
        connection.tell(own, "desktop.abort", {"meta": {**base, "requestId": own}, "executionId": id})
        raise
    return _result(answer)


def _result(answer: Mapping[str, Any]) -> dict[str, Any]:
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    raise failure_of(answer.get("error"))
