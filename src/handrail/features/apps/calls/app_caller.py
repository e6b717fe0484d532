"""One call to one app: waits for a free slot, limits its time, retries if that is harmless, checks the reply.

The gate has let the call pass already, so nothing here asks for approval.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.calls.envelopes import read_result, request_for
from handrail.features.apps.model import App, AppRequest, AppTool, AppTransport, Execution, StdioExecution
from handrail.ports.errors import Offline, Reported, Timeout

DEFAULT_TIMEOUT_MS = 30_000
_CONCURRENCY = 8
_STDIO_CONCURRENCY = 1
"""A program that reads its stdin line by line answers one line after the other."""
_TRIES = 2
_PAUSE_SECONDS = 0.2

OnReply = Callable[[AppRequest, bytes], None]
"""Gets each request with its reply, before the reply is checked."""


class AppCaller:
    """`transport` returns the transport for an execution. Unsupported if this machine has none."""

    def __init__(self, transport: Callable[[Execution], AppTransport], checks: SchemaChecks) -> None:
        self._transport = transport
        self._checks = checks
        self._lanes: dict[str, _Lane] = {}

    async def call(
        self, app: App, tool: AppTool, params: dict[str, Any], *, timeout_ms: int | None, on_reply: OnReply
    ) -> Any:
        """Returns the app's result, checked against its schema. Raises only Failures, within the timeout."""
        limit_ms = timeout_ms or timeout_for(app, tool)
        clock = asyncio.timeout(limit_ms / 1000)
        try:
            async with clock, self._slot(app):
                reply = await self._call_with_retry(app, tool, params, clock, on_reply)
        except TimeoutError:
            raise Timeout(f"{app.id} didn't answer {tool.name} within {limit_ms} ms.", timeoutMs=limit_ms) from None
        self._checks.check_result(app, tool, reply)
        return reply

    async def _call_with_retry(
        self, app: App, tool: AppTool, params: dict[str, Any], clock: asyncio.Timeout, on_reply: OnReply
    ) -> Any:
        for tries_left in reversed(range(_TRIES if tool.is_idempotent else 1)):
            try:
                return await self._send(app, tool, params, clock, on_reply)
            except (Offline, Reported) as failure:
                if not (tries_left and failure.retryable):
                    raise
            await asyncio.sleep(_PAUSE_SECONDS)
        raise AssertionError("the last try returns or raises")

    async def _send(
        self, app: App, tool: AppTool, params: dict[str, Any], clock: asyncio.Timeout, on_reply: OnReply
    ) -> Any:
        request = request_for(tool.name, params)
        deadline = clock.when()
        assert deadline is not None
        remaining = max(deadline - asyncio.get_running_loop().time(), 0.001)
        reply = await self._transport(app.execution).call(app, tool, request, timeout=remaining)
        on_reply(request, reply)
        return read_result(reply, request)

    @asynccontextmanager
    async def _slot(self, app: App) -> AsyncIterator[None]:
        """Limits concurrency per app, so that a hanging app delays only its own callers."""
        lane = self._lanes.setdefault(app.id, _Lane(concurrency_limit(app)))
        lane.users += 1
        try:
            async with lane.slots:
                yield
        finally:
            lane.users -= 1
            if lane.users == 0:
                self._lanes.pop(app.id, None)


class _Lane:
    def __init__(self, slots: int) -> None:
        self.slots = asyncio.Semaphore(slots)
        self.users = 0


def concurrency_limit(app: App) -> int:
    return app.max_concurrent or (_STDIO_CONCURRENCY if isinstance(app.execution, StdioExecution) else _CONCURRENCY)


def timeout_for(app: App, tool: AppTool) -> int:
    return tool.timeout_ms or app.timeout_ms or DEFAULT_TIMEOUT_MS
