"""desktop.waitUntil: answers when a condition has come true. It looks again whenever the app reports a change.

Not every toolkit reports everything, so it also looks every `pollMs`.
"""

import asyncio
from collections.abc import Collection, Sequence
from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.outline import spelled_matches
from handrail.features.desktop.host.params import Milliseconds, Name, RoutedParams, Selector, Wire
from handrail.features.desktop.host.routing import NOWHERE, Routed
from handrail.features.desktop.host.search import Match, Search
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.features.desktop.platform import Changes, Reader
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
            await wait.over()
    except TimeoutError:
        elapsed = round((loop.time() - began) * 1000)
        message = f"The condition did not come true within {params.timeout_ms} ms."
        raise Timeout(message, timeoutMs=params.timeout_ms, elapsedMs=elapsed) from None
    record, given = execution.record, wait.matches[:10]
    return {
        "ok": True,
        "matched": len(wait.matches),
        "elapsedMs": round((loop.time() - began) * 1000),
        "elementRefs": [services.refs.spelled(match.window, match.found) for match in given],
        "routeResolved": NOWHERE if wait.routed is None else wait.routed.spelled(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", spelled_matches(wait.routed, given, services.refs)),
        },
    }


class _Wait:
    def __init__(self, reader: Reader, search: Search, params: WaitUntilParams) -> None:
        self._reader = reader
        self._search = search
        self._params = params
        self._poll = params.poll_ms / 1000
        self._is_for_gone = params.condition.selector_gone is not None
        self._followed: int | None = None
        self._is_unheard = False
        """The app in question may be one that does not answer, so nothing is known about its window."""
        self.routed: Routed | None = None
        self.matches: Sequence[Match] = ()

    async def over(self) -> None:
        """Follows the app's window; goes on with another one when the route leads there."""
        while True:
            await self._route()
            if self.routed is None:
                if self._is_for_gone and not self._is_unheard:
                    return  # its window is gone, and it with it
                await asyncio.sleep(self._poll)
                continue
            async with self._reader.changes(self.routed.window) as changes:
                if await self._comes_true(changes):
                    return

    async def _comes_true(self, changes: Changes) -> bool:
        """False once the route leads to another window."""
        loop = asyncio.get_running_loop()
        routed = followed = self.routed
        while routed is not None and followed is not None and routed.window.handle == followed.window.handle:
            looked_at = loop.time()
            if await self._is_true(routed):
                return True
            # An app that reports without end is looked at for half of the time at most.
            await asyncio.sleep(max(_SHORTEST_PAUSE, loop.time() - looked_at))
            await changes.next(self._poll)
            await self._route()
            routed = self.routed
        return False

    async def _route(self) -> None:
        try:
            self.routed = await self._search.routed(self._params.route, counts_hanging=False)
            self._is_unheard = self._is_for_gone and self._followed in self._reader.silent()
        except NotFound:
            self.routed = None
            self._is_unheard = self._may_be_meant(self._reader.silent())
        except Timeout:
            self.routed, self._is_unheard = None, True
        if self._is_unheard:
            self.routed = None  # a window of another app that fits as well is not where it goes on
        elif self.routed is not None:
            self._followed = self.routed.window.pid

    def _may_be_meant(self, silent: Collection[int]) -> bool:
        """Whether the followed app is silent; if none is followed yet, whether any app is."""
        app = self._params.route.app if self._params.route is not None else None
        known = self._followed if self._followed is not None else app.pid if app is not None else None
        return bool(silent) if known is None else known in silent

    async def _is_true(self, routed: Routed) -> bool:
        condition = self._params.condition
        selector = condition.selector_exists or condition.selector_gone
        if condition.value_contains is not None:
            selector = condition.value_contains.selector
        assert selector is not None
        try:
            self.matches = await self._search.matches(routed, selector)
        except NotFound:  # nor is there what it is looked for by
            self.matches = ()
        except Timeout:  # an app that does not answer says nothing, also not that something is gone
            return False
        if condition.value_contains is not None:
            wanted = condition.value_contains.value.casefold()
            self.matches = [one for one in self.matches if wanted in (one.found.element.value or "").casefold()]
        return not self.matches if self._is_for_gone else bool(self.matches)


METHOD = Reading("desktop.waitUntil", WaitUntilParams, wait_until)
