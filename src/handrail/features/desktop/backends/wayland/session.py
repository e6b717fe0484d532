"""The connection to the compositor and its devices: opened on first use, and again after a restart."""

import asyncio
import os

from handrail.features.desktop.backends.wayland.connection import Connection, Lost, Proxy
from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import PermissionMissing

POINTER_MANAGER = "zwlr_virtual_pointer_manager_v1"
KEYBOARD_MANAGER = "zwp_virtual_keyboard_manager_v1"
SCREENCOPY = "zwlr_screencopy_manager_v1"
TOPLEVELS = "zwlr_foreign_toplevel_manager_v1"


class Output:
    """A monitor and its area on the screen, in logical pixels."""

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self._position = (0, 0)
        self._size = (0, 0)

    def follow(self, manager: Proxy) -> None:
        described = manager.send("get_xdg_output", self.proxy)
        described.on = {"logical_position": self._on_position, "logical_size": self._on_size}

    @property
    def area(self) -> Rect:
        return Rect(*self._position, *self._size)

    def _on_position(self, x: int, y: int) -> None:
        self._position = (x, y)

    def _on_size(self, width: int, height: int) -> None:
        self._size = (width, height)


class Session:
    """Keeps devices as long as the connection: a seat that loses its only keyboard removes the focus from programs."""

    def __init__(self, path: str) -> None:
        self.connection = Connection(path)
        self.seat = self.connection.bind("wl_seat", 2)
        self.pointer = self._device(POINTER_MANAGER, "create_virtual_pointer")
        self.keyboard = self._device(KEYBOARD_MANAGER, "create_virtual_keyboard")
        manager = self.connection.bind("zxdg_output_manager_v1", 2)
        self.outputs = [
            Output(self.connection.bind("wl_output", 2, name=name)) for name, _ in self.connection.globals["wl_output"]
        ]
        for output in self.outputs:
            output.follow(manager)
        self.connection.roundtrip()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.connection.fileno(), self._on_readable)

    def area(self) -> Rect:
        areas = [output.area for output in self.outputs]
        left, top = min(one.x for one in areas), min(one.y for one in areas)
        right, bottom = max(one.x + one.width for one in areas), max(one.y + one.height for one in areas)
        return Rect(left, top, right - left, bottom - top)

    def close(self) -> None:
        self._loop.remove_reader(self.connection.fileno())
        self.connection.close()

    def _device(self, manager: str, request: str) -> Proxy | None:
        return self.connection.bind(manager).send(request, self.seat) if self.connection.has(manager) else None

    def _on_readable(self) -> None:
        try:
            self.connection.dispatch()
        finally:
            if self.connection.is_lost:
                self._loop.remove_reader(self.connection.fileno())


class Wayland:
    """The session's compositor. `name` overrides $WAYLAND_DISPLAY."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._session: Session | None = None
        self._outputs = 0

    @property
    def path(self) -> str:
        """The path of the compositor's socket; empty if there is none."""
        name = self._name or os.environ.get("WAYLAND_DISPLAY", "")
        return os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name) if name else ""

    def session(self) -> Session:
        if self._session is not None and self._is_stale(self._session):
            self.close()
        if self._session is None:
            if not self.path:
                raise PermissionMissing("There is no Wayland display.", hint="Start in a graphical session.")
            self._session = Session(self.path)
            self._outputs = len(self._session.outputs)
        return self._session

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _is_stale(self, session: Session) -> bool:
        """Returns whether the compositor is gone or its monitors have changed."""
        session.connection.dispatch()
        return session.connection.is_lost or len(session.connection.globals["wl_output"]) != self._outputs


def offered_interfaces(path: str) -> frozenset[str]:
    """Returns the interfaces of the compositor at a socket; none if there is no compositor."""
    try:
        connection = Connection(path)
    except (Lost, PermissionMissing):
        return frozenset()
    connection.close()
    return frozenset(name for name, globals_of_name in connection.globals.items() if globals_of_name)
