"""Which window a call means. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from handrail.features.desktop.host.conditions import ElementNotFound, ModalBlocking
from handrail.features.desktop.host.params import Route
from handrail.features.desktop.host.refs import spelled_frame, window_id
from handrail.features.desktop.platform import Window
from handrail.ports.errors import InvalidParams

_MOST_PATTERN_MEMORY = 1 << 20


@dataclass(frozen=True, slots=True)
class Routed:
    """`window` is the one that is meant; `windows` are all matching windows of its app, with it first."""

    window: Window
    windows: Sequence[Window]
    everything: Sequence[Window]

    def spelled(self) -> dict[str, Any]:
        return {
            "frontmostBundleId": self.window.app_id,
            "windowTitle": self.window.title,
            "windowId": window_id(self.window),
            "appName": self.window.app_name,
            "pid": self.window.pid,
            "isFront": self.window.is_front,
            "frame": spelled_frame(self.window.frame),
        }


NOWHERE = {"frontmostBundleId": "", "windowTitle": ""}


def resolve(everything: Sequence[Window], route: Route | None) -> Routed:
    """Without a route, the window in front. ElementNotFound if no window matches."""
    if route is None:
        front = next((window for window in everything if window.is_front), None)
        fitting = [] if front is None else [front, *(one for one in everything if one.handle != front.handle)]
    else:
        fitting = [window for window in everything if _fits(window, route)]
    if not fitting:
        missing = "No window fits the route." if route is not None else "No window that can be read is in front."
        raise ElementNotFound(
            missing if everything else "There is no window.",
            hint="The windows that there are stand in details.windows.",
            windows=[{"app": window.app_id, "title": window.title} for window in everything[:20]],
        )
    first = fitting[0]
    return Routed(first, [window for window in fitting if is_one_app(window, first)], everything)


def refuse_blocked(everything: Sequence[Window], window: Window) -> None:
    """ModalBlocking when another window of the app takes all input."""
    for other in everything:
        if other.is_modal and other.handle != window.handle and is_one_app(other, window):
            if window.is_modal and not other.is_front:
                continue  # of two modal windows the one in front has the input
            raise ModalBlocking(
                f"The modal window {other.title!r} takes the input.",
                hint="desktop.listModals shows it, desktop.dismissModal closes it; or act inside of it.",
                modal={"title": other.title, "app": other.app_id, "frame": spelled_frame(other.frame)},
            )


def is_one_app(one: Window, other: Window) -> bool:
    return (one.pid, one.app_id) == (other.pid, other.app_id)


def check_pattern(route: Route | None) -> None:
    """InvalidParams if the title pattern is invalid."""
    if route is not None and route.window is not None:
        _compiled(route.window.title_pattern)


def _fits(window: Window, route: Route) -> bool:
    if route.app is not None:
        own = {name.casefold() for name in (*window.ids, window.app_id, window.app_name)}
        if any(name.casefold() not in own for name in route.app.names):
            return False
        if route.app.pid is not None and route.app.pid != window.pid:
            return False
    if route.window is None:
        return True
    is_meant = route.window.id is None or route.window.id == window_id(window)
    return is_meant and _compiled(route.window.title_pattern).search(window.title) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    """RE2, whose time grows only with the length of the title."""
    import re2

    options = re2.Options()
    options.max_mem, options.log_errors = _MOST_PATTERN_MEMORY, False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        field = "params.route.window.titlePattern"
        raise InvalidParams(f"{field}: no RE2 pattern: {error}", field=field) from None
