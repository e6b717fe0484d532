"""Observes a desktop independently of the code under test: windows, pixels, keys, accessible programs."""

import subprocess
from collections.abc import Sequence
from typing import Protocol

from Xlib import X, display, error

from handrail.features.desktop.desktop_port import Rect

REGISTRY = "org.a11y.atspi.Registry"
ROOT_PATH = "/org/a11y/atspi/accessible/root"
CHILDREN = "org.a11y.atspi.Accessible.GetChildren"
DAEMON = "org.freedesktop.DBus"


class Eyes(Protocol):
    def close(self) -> None: ...

    def windows_of(self, pids: set[int]) -> list[int]:
        """Returns the ids of the processes' mapped windows."""
        ...

    def frame_of(self, window: int) -> Rect:
        """Without decorations."""
        ...

    def classes_of(self, window: int) -> set[str]: ...

    def move(self, window: int, x: int, y: int) -> None: ...

    def pixels(self, area: Rect) -> bytes:
        """Returns red, green, blue of every pixel, row by row."""
        ...

    def has_pressed_keys(self) -> bool: ...


class X11Eyes:
    def __init__(self, name: str) -> None:
        self._display = display.Display(name)
        self._root = self._display.screen().root

    def close(self) -> None:
        self._display.close()

    def has_window_manager(self) -> bool:
        return bool(self._property(self._root, "_NET_SUPPORTING_WM_CHECK"))

    def windows_of(self, pids: set[int]) -> list[int]:
        """Returns the ids of the processes' mapped windows, as the window manager lists them."""
        return [window for window in self._property(self._root, "_NET_CLIENT_LIST") if self._pid_of(window) in pids]

    def frame_of(self, window: int) -> Rect:
        """Without the window manager's decorations."""
        size = self._window(window).get_geometry()
        origin = self._root.translate_coords(window, 0, 0)
        return Rect(origin.x, origin.y, size.width, size.height)

    def classes_of(self, window: int) -> set[str]:
        return set(self._window(window).get_wm_class() or ()) - {""}

    def move(self, window: int, x: int, y: int) -> None:
        self._window(window).configure(x=x, y=y)
        self._display.sync()

    def pixels(self, area: Rect) -> bytes:
        """Returns red, green, blue of every pixel, row by row."""
        image = self._root.get_image(area.x, area.y, area.width, area.height, X.ZPixmap, 0xFFFFFFFF).data
        rgb = bytearray(area.width * area.height * 3)
        for channel in range(3):
            rgb[channel::3] = image[2 - channel :: 4]
        return bytes(rgb)

    def has_pressed_keys(self) -> bool:
        return any(self._display.query_keymap()) or bool(self._root.query_pointer().mask)

    def _window(self, window: int) -> "display.drawable.Window":
        return self._display.create_resource_object("window", window)

    def _pid_of(self, window: int) -> int | None:
        return next(iter(self._property(self._window(window), "_NET_WM_PID")), None)

    def _property(self, window: "display.drawable.Window", name: str) -> Sequence[int]:
        try:
            result = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        except error.BadWindow:
            return []
        return list(result.value) if result else []


class BusEyes:
    """An accessibility bus, accessed through `dbus-send`."""

    def __init__(self, session_bus: str) -> None:
        self._session_bus = session_bus
        self._address = ""

    def find_bus(self) -> bool:
        """Whether there is an accessibility bus with a registry."""
        # A request before it exists would make the session start a second one.
        owned = _send(self._session_bus, f"--dest={DAEMON}", "/", f"{DAEMON}.NameHasOwner", "string:org.a11y.Bus")
        if "true" not in owned:
            return False
        answer = _send(self._session_bus, "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress")
        self._address = next(iter(_strings(answer)), "")
        return bool(self._address and self._ask(REGISTRY, ROOT_PATH, CHILDREN))

    def names_of(self, pids: set[int]) -> list[str]:
        """Their names on the bus, if they have windows."""
        names = _strings(self._ask(REGISTRY, ROOT_PATH, CHILDREN))[::2]
        mine = [name for name in names if self._owner(name) in pids]
        return [name for name in mine if _strings(self._ask(name, ROOT_PATH, CHILDREN))]

    def _ask(self, destination: str, path: str, method: str, *arguments: str) -> str:
        return _send(self._address, f"--dest={destination}", path, method, *arguments)

    def _owner(self, name: str) -> int:
        answer = self._ask(DAEMON, "/", f"{DAEMON}.GetConnectionUnixProcessID", f"string:{name}")
        return int(answer.partition("uint32")[2] or 0)


def _send(bus: str, *arguments: str) -> str:
    """Returns the answer as text; empty if there was none."""
    command = ["dbus-send", f"--bus={bus}", "--print-reply", "--reply-timeout=2000", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def _strings(answer: str) -> list[str]:
    return answer.split('"')[1::2]
