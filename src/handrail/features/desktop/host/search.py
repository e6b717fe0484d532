"""Finds what a call refers to: the window of a route, the matches of a selector, the subject of an action."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handrail.features.desktop.desktop_port import DesktopPort, Element, LocatedElement, Place, Query, Reader, Window
from handrail.features.desktop.host.conditions import AnchorNotFound, ElementNotFound, PathNotFound, StaleElement
from handrail.features.desktop.host.confirmation import Consent
from handrail.features.desktop.host.own_windows import UNKNOWN_PAGE, refuse_own_window, why_off_limits
from handrail.features.desktop.host.params import Anchor, ElementRef, Near, Route, Selector, Target
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import ResolvedRoute, refuse_blocked, resolve_route
from handrail.features.desktop.host.selection import (
    Neighbourhood,
    choose_anchor,
    flatten,
    matches_selector,
    rank_matches,
)
from handrail.ports.errors import NotFound, Timeout

_MAX_DEPTH = 100
_MAX_NODES = 10_000


@dataclass(frozen=True, slots=True)
class Match:
    """An element and the window that it is in."""

    window: Window
    located: LocatedElement


class Search:
    def __init__(self, reader: Reader, refs: ElementRefs) -> None:
        self._reader = reader
        self._refs = refs

    async def resolve_route(self, route: Route | None, *, counts_hanging: bool = True) -> ResolvedRoute:
        """ElementNotFound. If an app is unresponsive and may be the one, Timeout, unless `counts_hanging` is false."""
        all_windows = await self._reader.windows()
        hanging = sorted(self._reader.unresponsive_pids())
        if route is None and hanging and not any(window.is_front for window in all_windows):
            raise Timeout(
                "No window in front can be read, because an app is not responding.",
                hint="Try again when it responds, or name another app in a route.",
                hanging=hanging,
            )
        try:
            resolved_route = resolve_route(all_windows, route)
        except ElementNotFound as error:
            if counts_hanging and hanging:
                raise Timeout(
                    "No window matches, but an app is not responding and may be the one.",
                    hint="Try again when it responds, or close it.",
                    hanging=hanging,
                    windows=error.details.get("windows", []),
                ) from None
            raise
        await refuse_own_window(self._reader, resolved_route.window, all_windows, acts=False)
        allowed_windows = [
            window
            for window in resolved_route.windows
            if window is resolved_route.window
            or await why_off_limits(self._reader, window, all_windows) in (None, UNKNOWN_PAGE)
        ]
        return replace(resolved_route, windows=allowed_windows)

    async def target(self, target: Target, route: Route | None) -> tuple[ResolvedRoute, Match]:
        """Returns the element as it is now. StaleElement for a reference, ElementNotFound or AmbiguousWindow for a
        selector."""
        if target.element_ref is not None:
            return await self._referenced(target.element_ref)
        assert target.selector is not None
        resolved_route = await self.resolve_route(route)
        try:
            matches = await self.matches(resolved_route, target.selector)
            if not matches:
                raise ElementNotFound("The selector matches no element.", hint="desktop.observe shows what there is.")
        except NotFound as error:
            error.details["route"] = resolved_route.to_wire()
            raise
        if len({match.window.handle for match in matches}) > 1 or _has_other_app(resolved_route):
            resolved_route.require_clear()
        return resolved_route, matches[0]

    async def at_point(self, desktop: DesktopPort, point: Place, route: Route | None) -> "Subject":
        """ElementNotFound if the window of the route is not what a click there would reach."""
        window = await desktop.window_at(*point)
        if window is None:
            raise ElementNotFound("A click at this point would reach no window.", hint="Look again.")
        all_windows = await self._reader.windows()
        await refuse_own_window(self._reader, window, all_windows, acts=False)
        at_point = ResolvedRoute(window, [window], all_windows)
        if route is None:
            return Subject.of(at_point, point=point)
        resolved_route = await self.resolve_route(route)
        if all(match.handle != window.handle for match in resolved_route.matches):
            raise ElementNotFound(
                f"Another window is at this point: {window.title!r}.",
                hint="Look again.",
                route=resolved_route.to_wire(),
            )
        return Subject.of(at_point, point=point)

    async def matches(self, resolved_route: ResolvedRoute, selector: Selector) -> Sequence[Match]:
        """Returns all matches, the best first. PathNotFound, AnchorNotFound."""
        if selector.by_path is not None:
            return await self._at_path(resolved_route.window, selector)
        neighbourhood, windows = None, resolved_route.windows
        if selector.near is not None:
            window, anchor = await self._anchor(resolved_route, selector.near)
            neighbourhood, windows = Neighbourhood(anchor, selector.near), [window]
        owner: dict[int, Window] = {}
        candidates: list[LocatedElement] = []
        for window in windows:
            window_candidates = await self._candidates(window, selector)
            owner.update((id(candidate), window) for candidate in window_candidates)
            candidates += window_candidates
        return [
            Match(owner[id(candidate)], candidate) for candidate in rank_matches(candidates, selector, neighbourhood)
        ]

    async def _at_path(self, window: Window, selector: Selector) -> Sequence[Match]:
        assert selector.by_path is not None
        element = await self._reader.element_at_path(window, selector.by_path)
        if element is None:
            raise PathNotFound("The path leads to no element of the window.", path=selector.by_path)
        return (
            [Match(window, element)]
            if matches_selector(element.element, selector) and rank_matches([element], selector)
            else []
        )

    async def _anchor(self, resolved_route: ResolvedRoute, near: Near) -> tuple[Window, LocatedElement]:
        for window in resolved_route.windows:
            if (anchor := choose_anchor(await self._reader.find(window, _query(near.anchor)), near.anchor)) is not None:
                return window, anchor
        raise AnchorNotFound("The anchor matches no element that is on the screen.", hint="Choose another anchor.")

    async def _candidates(self, window: Window, selector: Selector) -> Sequence[LocatedElement]:
        query = _query(selector)
        if query != Query():
            return await self._reader.find(window, query)
        tree = await self._reader.tree(window, max_depth=_MAX_DEPTH, max_nodes=_MAX_NODES)
        return flatten(tree.root)

    async def _referenced(self, ref: ElementRef) -> tuple[ResolvedRoute, Match]:
        named = self._refs.resolve(ref)
        all_windows = await self._reader.windows()
        window = next((window for window in all_windows if window.handle == named.window), None)
        element = await self._reader.read_element(named.handle) if window is not None else None
        if window is None or element is None:
            raise StaleElement(f"{ref.element_id} is gone.", elementId=ref.element_id)
        if not named.is_same(element):
            raise StaleElement(
                f"{ref.element_id} has changed into something else.",
                elementId=ref.element_id,
                was={"role": named.role, "title": named.title},
                isNow={"role": element.role, "title": element.title},
            )
        await refuse_own_window(self._reader, window, all_windows, acts=False)
        return ResolvedRoute(window, [window], all_windows), Match(window, LocatedElement(element))


def _has_other_app(route: ResolvedRoute) -> bool:
    """Returns whether the selector wasn't tried in all windows that match."""
    return len(route.matches) > len(route.windows)


def _query(criteria: Selector | Anchor) -> Query:
    return Query(criteria.by_role, criteria.title_contains, criteria.value_contains)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a call acts on. `element` is None if the keys go to the window; `all_windows` are all open windows."""

    window: Window
    element: Element | None
    all_windows: Sequence[Window]
    route: Mapping[str, Any]
    """The window in the form of `routeResolved`."""
    path: tuple[int, ...] = ()
    point: Place | None = None
    """Where the pointer goes, if not to an element."""

    @property
    def place(self) -> Element | Place:
        """Where the pointer goes."""
        place = self.element if self.point is None else self.point
        assert place is not None
        return place

    @classmethod
    def of(
        cls,
        resolved_route: ResolvedRoute,
        window: Window | None = None,
        located: LocatedElement | None = None,
        point: Place | None = None,
    ) -> "Subject":
        element, path = (None, ()) if located is None else (located.element, located.path)
        return cls(
            window or resolved_route.window, element, resolved_route.all_windows, resolved_route.to_wire(), path, point
        )

    def check(self, consent: Consent) -> None:
        """Raises Unconfirmed if a person was shown something else, and ModalBlocking."""
        consent.check(self.window, self.element)
        refuse_blocked(self.all_windows, self.window)

    async def refresh(self, reader: Reader) -> "Subject":
        """Returns the subject as it is now; it may have moved. StaleElement if it is gone or has changed."""
        all_windows = await reader.windows()
        window = next((one for one in all_windows if one.handle == self.window.handle), None)
        if window is None:
            if self.window.pid in reader.unresponsive_pids():
                raise Timeout("The app is not responding, so nothing was sent.")
            raise StaleElement("The window is gone.", window=self.window.title)
        await refuse_own_window(reader, window, all_windows, acts=True)
        if self.element is None:  # the backend checks the point when the pointer is there
            return replace(self, window=window, all_windows=all_windows)
        element = await reader.read_element(self.element.handle)
        if element is None:
            raise StaleElement("The element is gone.", was=_to_wire(self.element))
        if (element.role, element.title) != (self.element.role, self.element.title):
            was, is_now = _to_wire(self.element), _to_wire(element)
            raise StaleElement("The element has changed into something else.", was=was, isNow=is_now)
        return replace(self, window=window, element=element, all_windows=all_windows)


def _to_wire(element: Element) -> dict[str, str]:
    return {"role": element.role, "title": element.title}
