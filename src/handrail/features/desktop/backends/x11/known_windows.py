"""The top-level windows for who can do without: nothing is known of them where there is no X server."""

from handrail.features.desktop.backends.x11.windows import TopWindow, TopWindows
from handrail.ports.errors import PermissionMissing


class KnownWindows:
    def __init__(self, windows: TopWindows) -> None:
        self._windows = windows

    def all(self) -> list[TopWindow]:
        try:
            return self._windows.all()
        except PermissionMissing:
            return []

    def active(self) -> int | None:
        try:
            return self._windows.active()
        except PermissionMissing:
            return None
