"""One call to one app: its turn in the app's lane, its deadline, a second try if that is harmless, a checked reply.

Knows no policy and no person: the gate has let the call pass.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.calls.envelopes import request_for, result_of
from handrail.features.apps.model import App, AppRequest, AppTool, AppTransport, Execution, StdioExecution
from handrail.ports.errors import Offline, Reported, Timeout

DEFAULT_TIMEOUT_MS = 30_000
_AT_ONCE = 8
_AT_ONCE_ON_STDIO = 1
"""A program that reads its input line by line answers one line after the other."""
_TRIES = 2
_PAUSE_SECONDS = 0.2

Heard = Callable[[AppRequest, bytes], None]
"""Gets each request with its reply, before the reply is checked."""


class AppCaller:
    """`transport` gives the transport for an execution. Unsupported if this machine has none."""

    def __init__(self, transport: Callable[[Execution], AppTransport], checks: Checks) -> None:
        self._transport = transport
        self._checks = checks
        self._lanes: dict[str, _Lane] = {}

    async def call(
        self, app: App, tool: AppTool, params: dict[str, Any], *, timeout_ms: int | None, heard: Heard
    ) -> Any:
        """The app's result, checked against its schema. Failures only, within the timeout."""
        limit_ms = timeout_ms or timeout_of(app, tool)
        clock = asyncio.timeout(limit_ms / 1000)
        try:
            async with clock, self._turn(app):
                reply = await self._answered(app, tool, params, clock, heard)
        except TimeoutError:
            raise Timeout(f"{app.id} did not answer {tool.name} within {limit_ms} ms.", timeoutMs=limit_ms) from None
        self._checks.check_result(app, tool, reply)
        return reply

    async def _answered(
        self, app: App, tool: AppTool, params: dict[str, Any], clock: asyncio.Timeout, heard: Heard
    ) -> Any:
        for tries_left in reversed(range(_TRIES if tool.is_idempotent else 1)):
            try:
                return await self._asked(app, tool, params, clock, heard)
            except (Offline, Reported) as failure:
                if not (tries_left and failure.retryable):
                    raise
            await asyncio.sleep(_PAUSE_SECONDS)
        raise AssertionError("the last try returns or raises")

    async def _asked(
        self, app: App, tool: AppTool, params: dict[str, Any], clock: asyncio.Timeout, heard: Heard
    ) -> Any:
        request = request_for(tool.name, params)
        until = clock.when()
        assert until is not None
        left = max(until - asyncio.get_running_loop().time(), 0.001)
        reply = await self._transport(app.execution).call(app, tool, request, timeout=left)
        heard(request, reply)
        return result_of(reply, request)

    @asynccontextmanager
    async def _turn(self, app: App) -> AsyncIterator[None]:
        """An app that hangs delays only its own callers."""
        lane = self._lanes.setdefault(app.id, _Lane(at_once(app)))
        lane.users += 1
        try:
            async with lane.places:
                yield
        finally:
            lane.users -= 1
            if lane.users == 0:
                self._lanes.pop(app.id, None)


class _Lane:
    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.users = 0


def at_once(app: App) -> int:
    return app.max_concurrent or (_AT_ONCE_ON_STDIO if isinstance(app.execution, StdioExecution) else _AT_ONCE)


def timeout_of(app: App, tool: AppTool) -> int:
    return tool.timeout_ms or app.timeout_ms or DEFAULT_TIMEOUT_MS
