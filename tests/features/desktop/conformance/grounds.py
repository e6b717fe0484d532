"""What the conformance tests need of a platform: a desktop, programs on it, and an independent view of it.

Another platform writes a `Ground` of its own and a fixture `<name>_ground`; the tests know nothing else of where they
run.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.backends.threaded_desktop import ThreadedDesktop
from handrail.features.desktop.desktop_port import DesktopPort, Rect
from tests.desktop_apps import ROOT, Toolkit, command
from tests.desktop_session import App, DesktopSession

TOOLKITS: dict[str, Sequence[Toolkit]] = {
    "linux": ("gtk3", "gtk4", "qt5", "qt6"),
    "sway": ("gtk3", "gtk4", "qt6"),
    "debian13": ("gtk4",),
}
"""The toolkits that show the window of `desktop_apps.texts`, by ground."""
LONG = frozenset({"debian13"})
"""Grounds that take minutes to set up, so only the campaign uses them."""
DEBIAN_13 = ROOT / "build" / "debian-13"


class Ground(Protocol):
    size: Rect
    """The size of the whole screen."""

    def entered(self) -> AbstractContextManager[None]:
        """Puts this process on the desktop inside the context."""
        ...

    def open(self) -> DesktopPort: ...

    def app(self, toolkit: Toolkit) -> App:
        """Returns the toolkit's shared program, restarted if a failed test left it with a dialog or dead."""
        ...

    def start(self, toolkit: Toolkit, *arguments: str) -> App: ...

    def start_mute(self) -> App:
        """Starts a program that has a window and no accessibility."""
        ...

    def end(self, app: App) -> None: ...

    def frame(self, app: App) -> Rect: ...

    def move(self, app: App, x: int, y: int) -> None: ...

    def names(self, app: App) -> set[str]:
        """The pid by which the desktop knows the program."""
        ...

    def pixels(self, area: Rect) -> bytes:
        """Returns red, green, blue of every pixel, row by row."""
        ...

    def has_pressed_keys(self) -> bool: ...

    def restart_accessibility(self) -> None: ...


class LinuxGround:
    size = Rect(0, 0, 1920, 1080)

    def __init__(self, session: DesktopSession) -> None:
        self._session = session
        self._apps: dict[Toolkit, App] = {}

    def entered(self) -> AbstractContextManager[None]:
        return self._session.entered()

    def open(self) -> DesktopPort:
        return ThreadedDesktop(LinuxDesktop)

    def app(self, toolkit: Toolkit) -> App:
        kept = self._apps.get(toolkit)
        if kept is None or len(self._session.windows_of(kept)) != 1:
            if kept is not None:
                self._session.end(kept)
            self._apps[toolkit] = self.start(toolkit)
        return self._apps[toolkit]

    def start(self, toolkit: Toolkit, *arguments: str) -> App:
        return self._session.start(command(toolkit, *arguments))

    def start_mute(self) -> App:
        return self._session.start(command("mute", "--title", "Mute"), wait_for="window")

    def end(self, app: App) -> None:
        self._session.end(app)

    def frame(self, app: App) -> Rect:
        return self._session.eyes.frame_of(self._first_window(app))

    def move(self, app: App, x: int, y: int) -> None:
        self._session.eyes.move(self._first_window(app), x, y)

    def names(self, app: App) -> set[str]:
        return self._session.eyes.classes_of(self._first_window(app))

    def pixels(self, area: Rect) -> bytes:
        return self._session.eyes.pixels(area)

    def has_pressed_keys(self) -> bool:
        return self._session.eyes.has_pressed_keys()

    def restart_accessibility(self) -> None:
        self._session.restart_accessibility_bus()

    def _first_window(self, app: App) -> int:
        return self._session.windows_of(app)[0]


class Debian13Ground(LinuxGround):
    """The same X server and buses, and programs of Debian 13, with GTK 4.18."""

    def start(self, toolkit: Toolkit, *arguments: str) -> App:
        """Starts a program in its own mount namespace, which ends with it."""
        places = " && ".join(
            f"mkdir -p {DEBIAN_13}{place} && mount --rbind {place} {DEBIAN_13}{place}"
            for place in ("/tmp", "/proc", str(ROOT / "tests"))
        )
        script = f'{places} && exec chroot {DEBIAN_13} "$@"'
        inside = ["unshare", "--mount", "sh", "-c", script, "sh", *command(toolkit, *arguments)]
        return self._session.start(inside, env={"GSK_RENDERER": "cairo"})


class SwayGround(LinuxGround):
    """A Wayland compositor in place of the X server."""

    def start_mute(self) -> App:
        return self._session.start(["foot", "--app-id", "Mute", "--title", "Mute", "cat"], wait_for="window")
