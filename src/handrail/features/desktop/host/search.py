"""Finds what a call means: windows of a route, matches of a selector, and the subject of an action."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handrail.features.desktop.host.conditions import AnchorNotFound, ElementNotFound, PathNotFound, StaleElement
from handrail.features.desktop.host.confirmation import Consent
from handrail.features.desktop.host.own_windows import UNTOLD, refuse_own, why_closed
from handrail.features.desktop.host.params import Anchor, ElementRef, Near, Route, Selector, Target
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import Routed, refuse_blocked, resolve
from handrail.features.desktop.host.selection import Neighbourhood, best_anchor, fits, flattened, ranked
from handrail.features.desktop.platform import Desktop, Element, Found, Place, Query, Reader, Window
from handrail.ports.errors import NotFound, Timeout

_SEARCHED_DEPTH = 100
_SEARCHED_NODES = 10_000


@dataclass(frozen=True, slots=True)
class Match:
    """An element and the window that it is in."""

    window: Window
    found: Found


class Search:
    def __init__(self, reader: Reader, refs: ElementRefs) -> None:
        self._reader = reader
        self._refs = refs

    async def routed(self, route: Route | None, *, counts_hanging: bool = True) -> Routed:
        """ElementNotFound; Timeout if the app that is meant may be one that hangs, which `counts_hanging` looks for."""
        everything = await self._reader.windows()
        if route is None and self._reader.silent() and not any(window.is_front for window in everything):
            raise Timeout("No window in front can be read: an app is hanging.", hint="Name the app in a route.")
        try:
            routed = resolve(everything, route)
        except ElementNotFound as missing:
            if counts_hanging and (hanging := sorted(self._reader.silent())):
                raise Timeout(
                    "No window of the apps that answer fits, and an app is hanging: it may be the one that is meant.",
                    hint="Try again when it answers, or end it.",
                    hanging=hanging,
                    windows=missing.details.get("windows", []),
                ) from None
            raise
        await refuse_own(self._reader, routed.window, everything, acts=False)
        open_windows = [
            window
            for window in routed.windows
            if window is routed.window or await why_closed(self._reader, window, everything) in (None, UNTOLD)
        ]
        return replace(routed, windows=open_windows)

    async def target(self, target: Target, route: Route | None) -> tuple[Routed, Match]:
        """The element as it is now. StaleElement for a reference, ElementNotFound for a selector."""
        if target.element_ref is not None:
            return await self._known(target.element_ref)
        assert target.selector is not None
        routed = await self.routed(route)
        try:
            matches = await self.matches(routed, target.selector)
            if not matches:
                raise ElementNotFound("The selector fits no element.", hint="desktop.observe shows what there is.")
        except NotFound as missing:
            missing.details["route"] = routed.spelled()
            raise
        return routed, matches[0]

    async def at_point(self, desktop: Desktop, point: Place, route: Route | None) -> "Subject":
        """ElementNotFound where another window than the route's is there, or none."""
        there = await desktop.window_at(*point)
        if there is None:
            raise ElementNotFound("No window is at this point that a click could reach.", hint="Look again.")
        everything = await self._reader.windows()
        await refuse_own(self._reader, there, everything, acts=False)
        routed = Routed(there, [there], everything) if route is None else await self.routed(route)
        if routed.window.handle != there.handle:
            raise ElementNotFound(
                f"Another window is at this point: {there.title!r}.", hint="Look again.", route=routed.spelled()
            )
        return Subject.of(routed, point=point)

    async def matches(self, routed: Routed, selector: Selector) -> Sequence[Match]:
        """All matches, the best first. PathNotFound, AnchorNotFound."""
        if selector.by_path is not None:
            return await self._at_path(routed.window, selector)
        neighbourhood, windows = None, routed.windows
        if selector.near is not None:
            window, anchor = await self._anchor(routed, selector.near)
            neighbourhood, windows = Neighbourhood(anchor, selector.near), [window]
        owner: dict[int, Window] = {}
        candidates: list[Found] = []
        for window in windows:
            inside = await self._candidates(window, selector)
            owner.update((id(found), window) for found in inside)
            candidates += inside
        return [Match(owner[id(found)], found) for found in ranked(candidates, selector, neighbourhood)]

    async def _at_path(self, window: Window, selector: Selector) -> Sequence[Match]:
        assert selector.by_path is not None
        found = await self._reader.at_path(window, selector.by_path)
        if found is None:
            raise PathNotFound("The path leads to no element of the window.", path=selector.by_path)
        return [Match(window, found)] if fits(found.element, selector) and ranked([found], selector) else []

    async def _anchor(self, routed: Routed, near: Near) -> tuple[Window, Found]:
        for window in routed.windows:
            if (anchor := best_anchor(await self._reader.find(window, _query(near.anchor)), near.anchor)) is not None:
                return window, anchor
        raise AnchorNotFound("The anchor fits no element that has a place.", hint="Choose another anchor.")

    async def _candidates(self, window: Window, selector: Selector) -> Sequence[Found]:
        query = _query(selector)
        if query != Query():
            return await self._reader.find(window, query)
        tree = await self._reader.tree(window, max_depth=_SEARCHED_DEPTH, max_nodes=_SEARCHED_NODES)
        return flattened(tree.root)

    async def _known(self, ref: ElementRef) -> tuple[Routed, Match]:
        known = self._refs.known(ref)
        everything = await self._reader.windows()
        window = next((window for window in everything if window.handle == known.window), None)
        element = await self._reader.look(known.handle) if window is not None else None
        if window is None or element is None:
            raise StaleElement(f"{ref.element_id} is gone.", elementId=ref.element_id)
        if not known.is_same(element):
            raise StaleElement(
                f"{ref.element_id} has become something else.",
                elementId=ref.element_id,
                was={"role": known.role, "title": known.title},
                isNow={"role": element.role, "title": element.title},
            )
        await refuse_own(self._reader, window, everything, acts=False)
        return Routed(window, [window], everything), Match(window, Found(element))


def _query(wanted: Selector | Anchor) -> Query:
    return Query(wanted.by_role, wanted.title_contains, wanted.value_contains)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call acts on. `element` is None if the keys go to the window; `everything` are all windows."""

    window: Window
    element: Element | None
    everything: Sequence[Window]
    route: Mapping[str, Any]
    """The window as `routeResolved` spells it."""
    path: tuple[int, ...] = ()
    point: Place | None = None
    """Where the pointer is put, if not on an element."""

    @classmethod
    def of(
        cls, routed: Routed, window: Window | None = None, found: Found | None = None, point: Place | None = None
    ) -> "Subject":
        element, path = (None, ()) if found is None else (found.element, found.path)
        return cls(window or routed.window, element, routed.everything, routed.spelled(), path, point)

    def check(self, consent: Consent) -> None:
        """Unconfirmed where a person was shown something else; ModalBlocking."""
        consent.check(self.window, self.element)
        refuse_blocked(self.everything, self.window)

    async def again(self, reader: Reader) -> "Subject":
        """As it is now. StaleElement if it is gone or another element; it may have moved."""
        everything = await reader.windows()
        window = next((one for one in everything if one.handle == self.window.handle), None)
        if window is None:
            if self.window.pid in reader.silent():
                raise Timeout("The app does not answer, so nothing was sent.")
            raise StaleElement("The window is gone.", window=self.window.title)
        await refuse_own(reader, window, everything, acts=True)
        if self.element is None:  # whether the point still reaches the window is looked at when the pointer is there
            return replace(self, window=window, everything=everything)
        element = await reader.look(self.element.handle)
        if element is None:
            raise StaleElement("The element is gone.", was=_spelled(self.element))
        if (element.role, element.title) != (self.element.role, self.element.title):
            was, is_now = _spelled(self.element), _spelled(element)
            raise StaleElement("The element has become something else.", was=was, isNow=is_now)
        return replace(self, window=window, element=element, everything=everything)


def _spelled(element: Element) -> dict[str, str]:
    return {"role": element.role, "title": element.title}
