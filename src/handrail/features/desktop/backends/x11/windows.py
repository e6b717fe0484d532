"""The top-level windows of an X server: apps, frames, stacking order and keyboard focus."""

from typing import Any

from Xlib import X, error
from Xlib.protocol import event

from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.desktop_port import Rect, WindowChange
from handrail.ports.errors import PermissionMissing

_PAGER_SOURCE = 2
"""Window managers obey a pager, whose requests don't count as focus stealing."""
_STATIC_GRAVITY = 10
_MOVE_FLAGS = _STATIC_GRAVITY | 1 << 8 | 1 << 9 | _PAGER_SOURCE << 12
_RESIZE_FLAGS = _STATIC_GRAVITY | 1 << 10 | 1 << 11 | _PAGER_SOURCE << 12
_ICONIC = 3


class X11Windows(TopWindows):
    def __init__(self, x11: X11) -> None:
        self._x11 = x11

    def all(self) -> list[TopWindow]:
        """Lists all windows from the bottom to the top."""
        return [window for window_id in self._ids() if (window := self.read(window_id)) is not None]

    def read(self, window_id: int) -> TopWindow | None:
        """Returns None if it is gone."""
        x11, window = self._x11, self._x11.window(window_id)
        frame = self.frame(window_id)
        if frame is None:
            return None
        pid = x11.property_value(window, "_NET_WM_PID")
        kinds = x11.property_value(window, "_NET_WM_WINDOW_TYPE") or ()
        classes = _text(x11.property_value(window, "WM_CLASS")).split("\0")
        title = x11.property_value(window, "_NET_WM_NAME") or x11.property_value(window, "WM_NAME")
        shadow = x11.property_value(window, "_GTK_FRAME_EXTENTS")
        states = x11.property_value(window, "_NET_WM_STATE") or ()
        return TopWindow(
            id=window_id,
            pid=int(pid[0]) if pid else x11.pid_of(window_id),
            classes=tuple(name for name in classes if name),
            title=_text(title),
            frame=frame,
            shadow=(shadow[0], shadow[1], shadow[2], shadow[3]) if shadow and len(shadow) == 4 else (0, 0, 0, 0),
            is_modal=x11.atom("_NET_WM_STATE_MODAL") in states,
            is_minimized=x11.atom("_NET_WM_STATE_HIDDEN") in states,
            is_for_people=not any(x11.atom(f"_NET_WM_WINDOW_TYPE_{name}") in kinds for name in ("DESKTOP", "DOCK")),
        )

    def frame(self, window_id: int) -> Rect | None:
        try:
            size = self._x11.window(window_id).get_geometry()
            origin = self._x11.root().translate_coords(window_id, 0, 0)
        except error.XError:
            return None
        return Rect(origin.x, origin.y, size.width, size.height)

    def active(self) -> int | None:
        """Returns the active window, if a window manager reports one."""
        if not self.has_manager():
            return None
        value = self._x11.property_value(self._x11.root(), "_NET_ACTIVE_WINDOW")
        return int(value[0]) or None if value else None

    def has_manager(self) -> bool:
        """Checks the manager's window, because a manager that crashed leaves its properties behind."""
        value = self._x11.property_value(self._x11.root(), "_NET_SUPPORTING_WM_CHECK")
        if not value:
            return False
        own_value = self._x11.property_value(self._x11.window(int(value[0])), "_NET_SUPPORTING_WM_CHECK")
        return bool(own_value) and own_value[0] == value[0]

    def request_front(self, window_id: int) -> None:
        window = self._x11.window(window_id)
        if self.has_manager():
            self._ask_manager(window, "_NET_ACTIVE_WINDOW", _PAGER_SOURCE, X.CurrentTime)
        else:
            window.configure(stack_mode=X.Above)
            window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
        self._x11.display().flush()

    def focused_window(self) -> int | None:
        """Returns None while the focus moves from one window to another."""
        return self.active() if self.has_manager() else self.x_focus()

    def x_focus(self) -> int | None:
        """Returns the top-level window with the X server's input focus."""
        focus = self._x11.display().get_input_focus().focus
        return self.outermost(focus.id) if hasattr(focus, "id") else None

    def at(self, x: int, y: int) -> int | None:
        """Returns the root's child that a click at this point would reach."""
        child = self._x11.root().translate_coords(self._x11.root(), x, y).child
        return child.id if hasattr(child, "id") else None

    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        reached = self.at(x, y)
        return reached is not None and reached == self.outermost(window_id)

    def reaches(self, window_id: int, x: int, y: int) -> bool:
        reached = self.at(x, y)
        if reached is None:
            return False
        return reached == self.outermost(window_id) or reached in [popup for popup, _ in self.popups(window_id)]

    async def arrange(self, window_id: int, change: WindowChange) -> None:
        window, top_window = self._x11.window(window_id), self.read(window_id)
        if change.kind == "move":
            left, _, top, _ = (0, 0, 0, 0) if top_window is None else top_window.shadow
            self._ask_manager(window, "_NET_MOVERESIZE_WINDOW", _MOVE_FLAGS, change.x - left, change.y - top)
        elif change.kind == "resize":
            self._ask_manager(window, "_NET_MOVERESIZE_WINDOW", _RESIZE_FLAGS, 0, 0, change.width, change.height)
        elif change.kind == "close":
            self._ask_manager(window, "_NET_CLOSE_WINDOW", X.CurrentTime, _PAGER_SOURCE)
        elif change.kind == "minimize":
            self._ask_manager(window, "WM_CHANGE_STATE", _ICONIC)
        elif change.kind == "restore" and top_window is not None and top_window.is_minimized:
            self._ask_manager(window, "_NET_ACTIVE_WINDOW", _PAGER_SOURCE, X.CurrentTime)
        else:
            states = (self._x11.atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("VERT", "HORZ"))
            self._ask_manager(window, "_NET_WM_STATE", int(change.kind == "maximize"), *states, _PAGER_SOURCE)
        self._x11.display().flush()

    def _ask_manager(self, window: Any, name: str, *data: int) -> None:
        if not self.has_manager():
            raise PermissionMissing("This needs a window manager.", hint="Start one, for example openbox.")
        padded_data = (32, [*data, *[0] * (5 - len(data))])
        message = event.ClientMessage(window=window, client_type=self._x11.atom(name), data=padded_data)
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
        self._x11.root().send_event(message, event_mask=mask)

    def outermost(self, window_id: int) -> int | None:
        """Returns the root's child that contains the window (its decoration or itself); None if it is gone."""
        root = self._x11.root().id
        try:
            while (parent := self._x11.window(window_id).query_tree().parent).id != root:
                window_id = parent.id
        except (AttributeError, error.XError):
            return None
        return window_id

    def popups(self, window_id: int) -> list[tuple[int, Rect]]:
        value = [
            (child.id, self.frame(child.id))
            for child in self._x11.root().query_tree().children
            if self._x11.is_same_client(child.id, window_id) and _is_shown(child, is_popup=True)
        ]
        return [(popup, frame) for popup, frame in value if frame is not None]

    def shown(self) -> list[TopWindow]:
        return [window for window in self.all() if self._is_viewable(window.id)]

    def _is_viewable(self, window_id: int) -> bool:
        try:
            return bool(self._x11.window(window_id).get_attributes().map_state == X.IsViewable)
        except error.XError:
            return False

    def _ids(self) -> list[int]:
        if self.has_manager():
            for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
                if (ids := self._x11.property_value(self._x11.root(), name)) is not None:
                    return list(map(int, ids))
        return [child.id for child in self._x11.root().query_tree().children if _is_shown(child)]


def _is_shown(window: Any, *, is_popup: bool = False) -> bool:
    try:
        attributes = window.get_attributes()
    except error.XError:
        return False
    return attributes.map_state == X.IsViewable and (bool(attributes.override_redirect) or not is_popup)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
