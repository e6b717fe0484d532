"""The connection to the X server: opened on first use, and again after the server was restarted."""

import contextlib
import os
import struct
from typing import Any

from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import res
from Xlib.support import connect

from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import PermissionMissing, Timeout

UNREACHABLE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)
_XWAYLAND_OUTPUT = "XWAYLAND"
_ANSWER_SECONDS = 1.0
_GREETING = struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0)
"""A connection set-up without a name: any answer to it will do, a refusal too."""


class X11:
    """Raises PermissionMissing where there is no X server. `name` overrides $DISPLAY."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._display: Display | None = None
        self._is_xwayland: bool | None = None

    @property
    def name(self) -> str:
        return self._name or os.environ.get("DISPLAY", "")

    def display(self) -> Display:
        if self._display is not None and not _is_alive(self._display):
            self.close()
        if self._display is None:
            self._display = self.open_another()
        return self._display

    def open_another(self) -> Display:
        """One more connection, for a caller that waits for events."""
        if not self.name:
            raise PermissionMissing("There is no display.", hint="Start in a graphical session, or set DISPLAY.")
        self.check_answers()
        try:
            display = Display(self.name)
        except UNREACHABLE as exc:
            raise PermissionMissing(
                f"The display {self.name} can't be opened: {exc}",
                hint="Start in a graphical session; DISPLAY and XAUTHORITY must belong to it.",
            ) from None
        # Windows vanish while they are read; errors of requests without a reply don't matter.
        display.set_error_handler(lambda *_: None)
        return display

    def check_answers(self) -> None:
        """Timeout where the server takes a connection and says nothing: whoever connects would wait for ever."""
        try:
            name, protocol, host, number, _ = connect.get_display(self.name)
            with connect.get_socket(name, protocol, host, number) as sock:
                sock.settimeout(_ANSWER_SECONDS)
                sock.sendall(_GREETING)
                sock.recv(1)
        except TimeoutError:
            raise Timeout(
                f"The X server {self.name} doesn't answer.", hint="If it was stopped, resume it; then try again."
            ) from None
        except UNREACHABLE:
            return  # to connect tells what is wrong

    def root(self) -> Any:
        return self.display().screen().root

    def screen_area(self) -> Rect:
        size = self.root().get_geometry()
        return Rect(0, 0, size.width, size.height)

    def window(self, window_id: int) -> Any:
        return self.display().create_resource_object("window", window_id)

    def atom(self, name: str) -> int:
        return int(self.display().get_atom(name))

    def values(self, window: Any, name: str) -> Any:
        """A property's content, or None where the window has none or is gone."""
        try:
            content = window.get_full_property(self.atom(name), X.AnyPropertyType)
        except error.XError:
            return None
        return None if content is None else content.value

    def pid_of(self, window_id: int) -> int:
        """The process that made a window, from the server itself; 0 where it doesn't know."""
        display = self.display()
        if not display.has_extension("X-Resource"):
            return 0
        try:
            asked = [{"client": window_id, "mask": res.LocalClientPIDMask}]
            ids = display.res_query_client_ids(asked).ids
        except (AttributeError, error.XError):
            return 0
        return next((int(one.value[0]) for one in ids if len(one.value)), 0)

    def is_same_client(self, one: int, other: int) -> bool:
        """Whether the same program made both resources."""
        return (one ^ other) & ~int(self.display().display.info.resource_id_mask) == 0

    def is_xwayland(self) -> bool:
        """An X server inside a Wayland session sees only its own windows and has no picture of the screen."""
        display = self.display()
        if self._is_xwayland is None:
            self._is_xwayland = _is_xwayland(display)
        return self._is_xwayland

    def close(self) -> None:
        display, self._display = self._display, None
        self._is_xwayland = None
        if display is not None:
            with contextlib.suppress(*UNREACHABLE):
                display.close()


def _is_xwayland(display: Display) -> bool:
    if display.has_extension(_XWAYLAND_OUTPUT):
        return True
    try:
        monitors = display.screen().root.xrandr_get_monitors().monitors
        return any(display.get_atom_name(monitor.name).startswith(_XWAYLAND_OUTPUT) for monitor in monitors)
    except (AttributeError, error.XError):
        return False


def _is_alive(display: Display) -> bool:
    """Also discards pending events, which nobody waits for on this connection."""
    try:
        while display.pending_events():
            display.next_event()
    except UNREACHABLE:
        return False
    return True
