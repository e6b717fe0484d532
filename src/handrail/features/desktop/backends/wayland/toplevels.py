"""Windows of a compositor that tells no places: their titles, programs and states only."""

import struct

from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import TOPLEVELS, Session, Wayland
from handrail.features.desktop.desktop_port import WindowChange
from handrail.ports.errors import Gone, PermissionMissing, Unsupported

_MINIMIZED, _ACTIVATED = 1, 2
_REQUESTS = {"close": "close", "minimize": "set_minimized", "maximize": "set_maximized"}


class _Toplevel:
    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.title = ""
        self.app_id = ""
        self.states: frozenset[int] = frozenset()
        self.is_closed = False
        proxy.on = {
            "title": lambda title: setattr(self, "title", title),
            "app_id": lambda app_id: setattr(self, "app_id", app_id),
            "state": self._on_state,
            "closed": lambda: setattr(self, "is_closed", True),
        }

    def _on_state(self, states: bytes) -> None:
        self.states = frozenset(struct.unpack(f"={len(states) // 4}I", states))


class Toplevels(TopWindows):
    frames_are_relative = True

    def __init__(self, wayland: Wayland) -> None:
        self._wayland = wayland
        self._session: Session | None = None
        self._known: list[_Toplevel] = []

    def all(self) -> list[TopWindow]:
        return [_window(one) for one in self._current()]

    def shown(self) -> list[TopWindow]:
        return [_window(one) for one in self._current() if _MINIMIZED not in one.states]

    def read(self, window_id: int) -> TopWindow | None:
        return next((one for one in self.all() if one.id == window_id), None)

    def focused_window(self) -> int | None:
        return next((one.proxy.id for one in self._current() if _ACTIVATED in one.states), None)

    def request_front(self, window_id: int) -> None:
        self._one(window_id).proxy.send("activate", self._wayland.session().seat)

    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        raise PermissionMissing(
            "This Wayland compositor doesn't report where windows are, so nothing can be pointed at."
        )

    async def arrange(self, window_id: int, change: WindowChange) -> None:
        window = self._one(window_id)
        if change.kind == "restore":
            window.proxy.send("unset_minimized")
            window.proxy.send("unset_maximized")
        elif change.kind in _REQUESTS:
            window.proxy.send(_REQUESTS[change.kind])
        else:
            raise Unsupported("This Wayland compositor lets no program move or resize windows.")
        self._wayland.session().connection.roundtrip()

    def _one(self, window_id: int) -> _Toplevel:
        found = next((one for one in self._current() if one.proxy.id == window_id), None)
        if found is None:
            raise Gone("The window is gone.")
        return found

    def _current(self) -> list[_Toplevel]:
        session = self._wayland.session()
        if session is not self._session:
            self._session, self._known = session, []
            manager = session.connection.bind(TOPLEVELS, 2)
            manager.on = {"toplevel": lambda proxy: self._known.append(_Toplevel(proxy))}
        session.connection.roundtrip()
        self._known = [one for one in self._known if not one.is_closed]
        return self._known


def _window(one: _Toplevel) -> TopWindow:
    return TopWindow(one.proxy.id, 0, (one.app_id,) if one.app_id else (), one.title, None)
