"""Windows of a compositor that doesn't report their places: only titles, programs and states."""

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
        self._toplevels: list[_Toplevel] = []

    def all(self) -> list[TopWindow]:
        return [_window(toplevel) for toplevel in self._current()]

    def shown(self) -> list[TopWindow]:
        return [_window(toplevel) for toplevel in self._current() if _MINIMIZED not in toplevel.states]

    def read(self, window_id: int) -> TopWindow | None:
        return next((toplevel for toplevel in self.all() if toplevel.id == window_id), None)

    def focused_window(self) -> int | None:
        return next((toplevel.proxy.id for toplevel in self._current() if _ACTIVATED in toplevel.states), None)

    def request_front(self, window_id: int) -> None:
        self._require(window_id).proxy.send("activate", self._wayland.session().seat)

    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        raise PermissionMissing(
            "This Wayland compositor doesn't report where windows are, so the pointer can't be used."
        )

    async def arrange(self, window_id: int, change: WindowChange) -> None:
        window = self._require(window_id)
        if change.kind == "restore":
            window.proxy.send("unset_minimized")
            window.proxy.send("unset_maximized")
        elif change.kind in _REQUESTS:
            window.proxy.send(_REQUESTS[change.kind])
        else:
            raise Unsupported("This Wayland compositor doesn't let programs move or resize windows.")
        self._wayland.session().connection.roundtrip()

    def _require(self, window_id: int) -> _Toplevel:
        toplevel = next((toplevel for toplevel in self._current() if toplevel.proxy.id == window_id), None)
        if toplevel is None:
            raise Gone("The window is gone.")
        return toplevel

    def _current(self) -> list[_Toplevel]:
        session = self._wayland.session()
        if session is not self._session:
            self._session, self._toplevels = session, []
            manager = session.connection.bind(TOPLEVELS, 2)
            manager.on = {"toplevel": lambda proxy: self._toplevels.append(_Toplevel(proxy))}
        session.connection.roundtrip()
        self._toplevels = [toplevel for toplevel in self._toplevels if not toplevel.is_closed]
        return self._toplevels


def _window(toplevel: _Toplevel) -> TopWindow:
    return TopWindow(
        id=toplevel.proxy.id,
        pid=0,
        classes=(toplevel.app_id,) if toplevel.app_id else (),
        title=toplevel.title,
        frame=None,
        is_minimized=_MINIMIZED in toplevel.states,
    )
