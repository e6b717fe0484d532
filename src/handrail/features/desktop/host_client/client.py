"""The port to the host over its socket: one kept connection, made again when it breaks, and calls with their `meta`.

Where the host is, and whether it has to be started first, is somebody else's business: `find` gives a connection.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from handrail.features.desktop.dialect import CODES
from handrail.features.desktop.host_client.connection import Connection
from handrail.ports.errors import Failure, Internal, NotReady, Reported, Timeout

SCHEMA_VERSION = 1
_STARTS_WITHIN = 15.0
_LOOK_EVERY_SECONDS = 0.05
_GRACE_SECONDS = 5.0  # the host keeps the time itself: this is for one that is stuck
_CONDITIONS: dict[str, type[Failure]] = {
    **{code: condition for condition, code in reversed(list(CODES.items()))},
    "DESKTOP_HOST_NOT_READY": NotReady,
}


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
        raise Timeout(
            f"The desktop host isn't responding to {method}.",
            hint="If it was stopped, resume or end it: `handrail up` starts another.",
            timeoutMs=timeout_ms,
        ) from None
    except asyncio.CancelledError:
        own = str(uuid4())
        connection.tell(own, "desktop.abort", {"meta": {**base, "requestId": own}, "executionId": id})
        raise
    return _result(answer)


def _result(answer: Mapping[str, Any]) -> dict[str, Any]:
    result = answer.get("result")
    if isinstance(result, dict):
        return result
    raise _failure(answer.get("error"))


def _failure(error: Any) -> Failure:
    """What the host refuses, as a condition of the error tree again; a code that we don't know passes through."""
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return Internal("The desktop's host gave an answer that makes no sense.")
    code, message, retryable = error["code"], str(error.get("message", "")), error.get("retryable") is True
    details = dict(error["details"]) if isinstance(error.get("details"), dict) else {}
    hint = details.pop("hint", None)
    condition = _CONDITIONS.get(code)
    failure = condition(message, hint=hint) if condition is not None else None
    if failure is None or failure.retryable != retryable:
        failure = Reported(message, code=code, retryable=retryable, hint=hint)
    failure.details = details
    return failure
