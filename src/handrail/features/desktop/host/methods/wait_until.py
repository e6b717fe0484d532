"""desktop.waitUntil: waits until a condition is met. It checks again whenever the app reports a change.

Not every toolkit reports every change, so it also looks every `pollMs`.
"""

import asyncio
from collections.abc import Collection, Sequence
from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Changes, Reader
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.outline import matches_to_wire
from handrail.features.desktop.host.params import Milliseconds, Name, RoutedParams, Selector, Wire
from handrail.features.desktop.host.routing import NOWHERE, ResolvedRoute
from handrail.features.desktop.host.search import Match, Search
from handrail.features.desktop.host.services import ReadMethod, Result, Services
from handrail.ports.errors import NotFound, Timeout

_SHORTEST_PAUSE = 0.005


class ValueContains(Wire, frozen=True, kw_only=True):
    selector: Selector
    value: Name


class Condition(Wire, frozen=True, kw_only=True):
    selector_exists: Selector | None = None
    selector_gone: Selector | None = None
    value_contains: ValueContains | None = None

    def __post_init__(self) -> None:
        if [self.selector_exists, self.selector_gone, self.value_contains].count(None) != 2:
            raise ValueError("A condition is one of selectorExists, selectorGone and valueContains.")


class WaitUntilParams(RoutedParams, frozen=True, kw_only=True):
    condition: Condition
    timeout_ms: Milliseconds
    poll_ms: Annotated[int, Bound(ge=10, le=60_000)] = 500


async def wait_until(services: Services, execution: Execution, params: WaitUntilParams) -> Result:
    loop = asyncio.get_running_loop()
    began = loop.time()
    wait = _Wait(await services.source.get(), await services.search(), params)
    try:
        async with asyncio.timeout(params.timeout_ms / 1000):
            await wait.wait()
    except TimeoutError:
        elapsed = round((loop.time() - began) * 1000)
        message = f"The condition was not met within {params.timeout_ms} ms."
        raise Timeout(message, timeoutMs=params.timeout_ms, elapsedMs=elapsed) from None
    record, first_matches = execution.record, wait.matches[:10]
    return {
        "ok": True,
        "matched": len(wait.matches),
        "elapsedMs": round((loop.time() - began) * 1000),
        "elementRefs": [services.refs.to_wire(match.window, match.located) for match in first_matches],
        "routeResolved": NOWHERE if wait.resolved_route is None else wait.resolved_route.to_wire(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", matches_to_wire(wait.resolved_route, first_matches, services.refs)),
        },
    }


class _Wait:
    def __init__(self, reader: Reader, search: Search, params: WaitUntilParams) -> None:
        self._reader = reader
        self._search = search
        self._params = params
        self._poll_seconds = params.poll_ms / 1000
        self._waits_for_removal = params.condition.selector_gone is not None
        self._followed_pid: int | None = None
        self._is_unresponsive = False
        """The app may be one that is not responding, so nothing is known about its window."""
        self.resolved_route: ResolvedRoute | None = None
        self.matches: Sequence[Match] = ()

    async def wait(self) -> None:
        """Follows the app's window, and continues with another one if the route leads there."""
        while True:
            await self._route()
            if self.resolved_route is None:
                if self._waits_for_removal and not self._is_unresponsive:
                    return  # the window is gone, and the element with it
                await asyncio.sleep(self._poll_seconds)
                continue
            async with self._reader.changes(self.resolved_route.window) as changes:
                if await self._wait_in_window(changes):
                    return

    async def _wait_in_window(self, changes: Changes) -> bool:
        """Returns whether the condition was met; False once the route leads to another window."""
        loop = asyncio.get_running_loop()
        resolved_route = start = self.resolved_route
        while resolved_route is not None and start is not None and resolved_route.window.handle == start.window.handle:
            checked_at = loop.time()
            if await self._is_true(resolved_route):
                return True
            # Spend at most half of the time on an app that keeps reporting changes.
            await asyncio.sleep(max(_SHORTEST_PAUSE, loop.time() - checked_at))
            await changes.next(self._poll_seconds)
            await self._route()
            resolved_route = self.resolved_route
        return False

    async def _route(self) -> None:
        try:
            self.resolved_route = await self._search.resolve_route(self._params.route, counts_hanging=False)
            self._is_unresponsive = self._waits_for_removal and self._followed_pid in self._reader.unresponsive_pids()
        except NotFound:
            self.resolved_route = None
            self._is_unresponsive = self._may_concern_app(self._reader.unresponsive_pids())
        except Timeout:
            self.resolved_route, self._is_unresponsive = None, True
        if self._is_unresponsive:
            self.resolved_route = None  # don't continue with a matching window of another app
        elif self.resolved_route is not None:
            self._followed_pid = self.resolved_route.window.pid

    def _may_concern_app(self, silent: Collection[int]) -> bool:
        """Returns whether the followed app is unresponsive, or any app while none is followed."""
        app = self._params.route.app if self._params.route is not None else None
        pid = self._followed_pid if self._followed_pid is not None else app.pid if app is not None else None
        return bool(silent) if pid is None else pid in silent

    async def _is_true(self, resolved_route: ResolvedRoute) -> bool:
        condition = self._params.condition
        selector = condition.selector_exists or condition.selector_gone
        if condition.value_contains is not None:
            selector = condition.value_contains.selector
        assert selector is not None
        try:
            self.matches = await self._search.matches(resolved_route, selector)
        except NotFound:  # its anchor or path is missing as well
            self.matches = ()
        except Timeout:  # an unresponsive app doesn't prove that something is gone
            return False
        if condition.value_contains is not None:
            needle = condition.value_contains.value.casefold()
            self.matches = [match for match in self.matches if needle in (match.located.element.value or "").casefold()]
        return not self.matches if self._waits_for_removal else bool(self.matches)


METHOD = ReadMethod("desktop.waitUntil", WaitUntilParams, wait_until)
