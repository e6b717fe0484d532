"""Resolves a route to the window that a call means."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from handrail.features.desktop.desktop_port import Window
from handrail.features.desktop.host.conditions import AmbiguousWindow, ElementNotFound, ModalBlocking
from handrail.features.desktop.host.params import Route
from handrail.features.desktop.host.refs import frame_to_wire, window_id
from handrail.ports.errors import InvalidParams

_MOST_PATTERN_MEMORY = 1 << 20
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class ResolvedRoute:
    """`window` is the window of the route; `windows` are all matching windows of its app, starting with it."""

    window: Window
    windows: Sequence[Window]
    all_windows: Sequence[Window]
    matches: Sequence[Window] = ()
    """All windows that match the route, those of other apps, too."""

    def require_clear(self) -> "ResolvedRoute":
        """Raises AmbiguousWindow if the route matches several windows and none of them is in front."""
        if len(self.matches) > 1 and not self.window.is_front:
            raise ambiguous(self.matches)
        return self

    def to_wire(self) -> dict[str, Any]:
        return {
            "frontmostBundleId": self.window.app_id,
            "windowTitle": self.window.title,
            "windowId": window_id(self.window),
            "appName": self.window.app_name,
            "pid": self.window.pid,
            "isFront": self.window.is_front,
            "frame": frame_to_wire(self.window.frame),
        }


def ambiguous(windows: Sequence[Window]) -> AmbiguousWindow:
    return AmbiguousWindow(
        f"{len(windows)} windows match, and none of them is in front: nothing was done.",
        hint="Choose one of details.windows: route.window.id is its windowId.",
        windows=[_name(window) for window in windows[:_MOST_NAMED]],
    )


def _name(window: Window) -> dict[str, Any]:
    return {"app": window.app_id, "title": window.title, "windowId": window_id(window), "pid": window.pid}


NOWHERE = {"frontmostBundleId": "", "windowTitle": ""}


def resolve_route(all_windows: Sequence[Window], route: Route | None) -> ResolvedRoute:
    """Without a route, this is the window in front. ElementNotFound if no window matches."""
    if route is None:
        front = next((window for window in all_windows if window.is_front), None)
        matches = [] if front is None else [front, *(window for window in all_windows if window.handle != front.handle)]
    else:
        matches = [window for window in all_windows if _matches(window, route)]
    if not matches:
        message = "No window matches the route." if route is not None else "No readable window is in front."
        raise ElementNotFound(
            message if all_windows else "There is no window.",
            hint="details.windows lists the windows that exist.",
            windows=[_name(window) for window in all_windows[:_MOST_NAMED]],
        )
    first = matches[0]
    if route is None:
        return ResolvedRoute(first, [window for window in matches if is_one_app(window, first)], all_windows)
    return ResolvedRoute(first, [one for one in matches if one.app_id == first.app_id], all_windows, matches)


def refuse_blocked(all_windows: Sequence[Window], window: Window) -> None:
    """Raises ModalBlocking if another window of the app takes all input."""
    for other in all_windows:
        if other.is_modal and other.handle != window.handle and is_one_app(other, window):
            if window.is_modal and not other.is_front:
                continue  # of two modal windows, the one in front has the input
            raise ModalBlocking(
                f"The modal window {other.title!r} takes the input.",
                hint="desktop.listModals shows it and desktop.dismissModal closes it. You can also act in it.",
                modal={"title": other.title, "app": other.app_id, "frame": frame_to_wire(other.frame)},
            )


def is_one_app(one: Window, other: Window) -> bool:
    return (one.pid, one.app_id) == (other.pid, other.app_id)


def check_pattern(route: Route | None) -> None:
    """Raises InvalidParams if the title pattern is invalid."""
    if route is not None and route.window is not None and route.window.title_pattern is not None:
        _compiled(route.window.title_pattern)


def _matches(window: Window, route: Route) -> bool:
    if route.app is not None:
        names = {name.casefold() for name in (*window.ids, window.app_id, window.app_name)}
        if any(name.casefold() not in names for name in route.app.names):
            return False
        if route.app.pid is not None and route.app.pid != window.pid:
            return False
    if route.window is None:
        return True
    has_id = route.window.id is None or route.window.id == window_id(window)
    pattern = route.window.title_pattern
    return has_id and (pattern is None or _compiled(pattern).search(window.title) is not None)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    """Compiles with RE2, whose running time is linear in the length of the title."""
    import re2

    options = re2.Options()
    options.max_mem, options.log_errors = _MOST_PATTERN_MEMORY, False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        field = "params.route.window.titlePattern"
        raise InvalidParams(f"{field}: not a valid RE2 pattern: {error}", field=field) from None
