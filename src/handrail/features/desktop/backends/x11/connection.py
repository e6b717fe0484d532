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
_SETUP_REQUEST = struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0)
"""A connection setup without authorization. Any answer will do, even a refusal."""


class X11:
    """PermissionMissing if there is no X server. `name` overrides $DISPLAY."""

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
        """Opens another connection, for a caller that waits for events."""
        if not self.name:
            raise _no_display()
        self.check_answers()
        try:
            display = Display(self.name)
        except UNREACHABLE as exc:
            raise PermissionMissing(
                f"The display {self.name} can't be opened: {exc}",
                hint="Start in a graphical session; DISPLAY and XAUTHORITY must belong to it.",
            ) from None
        # Windows may close while they are read; errors of requests without a reply don't matter.
        display.set_error_handler(lambda *_: None)
        return display

    def check_answers(self) -> None:
        """Raises Timeout if the server accepts connections but doesn't respond: connecting would then block forever."""
        try:
            name, protocol, host, number, _ = connect.get_display(self.name)
            with connect.get_socket(name, protocol, host, number) as sock:
                sock.settimeout(_ANSWER_SECONDS)
                sock.sendall(_SETUP_REQUEST)
                sock.recv(1)
        except TimeoutError:
            raise Timeout(
                f"The X server {self.name} doesn't answer.", hint="If it was stopped, resume it; then try again."
            ) from None
        except UNREACHABLE:
            return  # connecting will report what is wrong

    def root(self) -> Any:
        return self.display().screen().root

    def screen_area(self) -> Rect:
        size = self.root().get_geometry()
        return Rect(0, 0, size.width, size.height)

    def monitors(self) -> list[Rect]:
        if not self.display().has_extension("RANDR"):
            return [self.screen_area()]
        monitors = self.root().xrandr_get_monitors().monitors
        areas = [Rect(one.x, one.y, one.width_in_pixels, one.height_in_pixels) for one in monitors]
        return areas or [self.screen_area()]

    def window(self, window_id: int) -> Any:
        return self.display().create_resource_object("window", window_id)

    def atom(self, name: str) -> int:
        return int(self.display().get_atom(name))

    def property_value(self, window: Any, name: str) -> Any:
        """Returns a property's content, or None if the window has none or is gone."""
        try:
            content = window.get_full_property(self.atom(name), X.AnyPropertyType)
        except error.XError:
            return None
        return None if content is None else content.value

    def pid_of(self, window_id: int) -> int:
        """Returns the process that created a window, as the server knows it; 0 if it doesn't."""
        display = self.display()
        if not display.has_extension("X-Resource"):
            return 0
        try:
            queries = [{"client": window_id, "mask": res.LocalClientPIDMask}]
            ids = display.res_query_client_ids(queries).ids
        except (AttributeError, error.XError):
            return 0
        return next((int(resource.value[0]) for resource in ids if len(resource.value)), 0)

    def is_same_client(self, resource: int, other: int) -> bool:
        """Returns whether the same program created both resources."""
        return (resource ^ other) & ~int(self.display().display.info.resource_id_mask) == 0

    def is_xwayland(self) -> bool:
        """Returns whether it runs inside a Wayland session, where it only knows its own windows and has no pixels."""
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


def _no_display() -> PermissionMissing:
    if os.environ.get("WAYLAND_DISPLAY"):
        return PermissionMissing(
            "handrail can't use pointer, keys or pictures with this Wayland compositor: only the elements' own actions "
            "work.",
            hint="Choose an X11 (Xorg) session when you sign in.",
        )
    return PermissionMissing("There is no display.", hint="Start in a graphical session, or set DISPLAY.")


def _is_xwayland(display: Display) -> bool:
    if display.has_extension(_XWAYLAND_OUTPUT):
        return True
    try:
        monitors = display.screen().root.xrandr_get_monitors().monitors
        return any(display.get_atom_name(monitor.name).startswith(_XWAYLAND_OUTPUT) for monitor in monitors)
    except (AttributeError, error.XError):
        return False


def _is_alive(display: Display) -> bool:
    """Checks the connection. Also discards pending events, which this connection doesn't use."""
    try:
        while display.pending_events():
            display.next_event()
    except UNREACHABLE:
        return False
    return True
