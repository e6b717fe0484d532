"""What this machine's session lets us read, look at and act on; of what is missing, what exactly and how to get it."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence

from handrail.features.desktop.backends.atspi.bus import ask_session
from handrail.features.desktop.backends.atspi.calls import property_of
from handrail.features.desktop.backends.atspi.connection import Refused, Silent
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.screen import X11Screen
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import Issue, Reader, Readiness, Rect, Window
from handrail.ports.errors import Failure, PermissionMissing

_IS_ENABLED = property_of("org.a11y.Status", "IsEnabled")
_X11_SESSION = "Choose an X11 (Xorg) session when you sign in."
_ALLOW_TOOLKITS = (
    "Run `gsettings set org.gnome.desktop.interface toolkit-accessibility true` and start the apps again; for Qt also "
    "set QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1."
)
_LET_APPS_IN = (
    "Start it again with NO_AT_BRIDGE unset; Qt with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron with "
    "--force-renderer-accessibility, Java with java-atk-wrapper. Without that only pointer, keys and pictures reach it."
)


class ReadinessCheck:
    def __init__(self, reader: Reader, x11: X11, windows: TopWindows, screen: X11Screen) -> None:
        self._reader = reader
        self._x11 = x11
        self._windows = windows
        self._screen = screen

    async def run(self) -> Readiness:
        seen, issues = await self._accessibility()
        display_issue = self._display()
        issues += display_issue
        is_xwayland = not display_issue and self._x11.is_xwayland()
        look: list[Issue] = []
        if not display_issue:
            look = await self._looking()
            issues += [*look, *self._acting(is_xwayland=is_xwayland), *self._silent_apps(seen)]
        return Readiness(
            can_read=seen is not None,
            can_look=not display_issue and not look,
            can_act=not display_issue and self._x11.display().has_extension("XTEST"),
            os=_system(),
            session=_session(os.environ, has_display=not display_issue, is_xwayland=is_xwayland),
            issues=tuple(issues),
        )

    async def _accessibility(self) -> tuple[Sequence[Window] | None, list[Issue]]:
        """None where nothing can be read at all."""
        try:
            windows = await self._reader.windows()
        except Failure as failure:
            fix = failure.hint or "Install at-spi2-core and start the host inside the desktop session."
            return None, [Issue("accessibility", failure.message, fix)]
        issues = []
        if await _are_toolkits_off():
            message = "Accessibility is switched off in this session, so that some toolkits tell nothing."
            issues.append(Issue("accessibility", message, _ALLOW_TOOLKITS))
        if not windows:
            issues.append(Issue("app", "No app shows a window on the accessibility bus.", _LET_APPS_IN))
        return windows, issues

    def _display(self) -> list[Issue]:
        try:
            self._x11.display()
        except PermissionMissing as failure:
            if os.environ.get("WAYLAND_DISPLAY"):
                message = (
                    "This is a Wayland session without X11: what apps do by themselves works, "
                    "pictures, pointer and keys don't."
                )
                return [Issue("screenRecording", message, _X11_SESSION), Issue("input", message, _X11_SESSION)]
            fix = failure.hint or ""
            return [Issue("screenRecording", failure.message, fix), Issue("input", failure.message, fix)]
        return []

    async def _looking(self) -> list[Issue]:
        try:
            await self._screen.shot(Rect(0, 0, 1, 1))
        except Failure as failure:
            return [Issue("screenRecording", failure.message, failure.hint or _X11_SESSION)]
        return []

    def _acting(self, *, is_xwayland: bool) -> Iterator[Issue]:
        if not self._x11.display().has_extension("XTEST"):
            yield Issue("input", "The X server has no XTEST extension.", "Start the X server with XTEST.")
        if is_xwayland:
            message = "This is a Wayland session: pointer and keys reach X11 programs only."
            yield Issue("input", message, _X11_SESSION)
        elif not self._windows.has_manager():
            message = "There is no window manager, and not every program takes the keys without one."
            yield Issue("windowManager", message, "Start one, for example openbox.")

    def _silent_apps(self, seen: Sequence[Window] | None) -> Iterator[Issue]:
        if seen is None:
            return
        pids, titles = {window.pid for window in seen}, {window.title for window in seen}
        for top in self._windows.all():
            if top.pid not in pids and top.title not in titles:
                name = top.classes[-1] if top.classes else top.title
                yield Issue("app", f"{name} tells nothing of itself: it is not on the accessibility bus.", _LET_APPS_IN)


async def _are_toolkits_off() -> bool:
    try:
        answer = await ask_session(_IS_ENABLED)
    except (PermissionMissing, Silent):
        return False
    return not isinstance(answer, Refused) and answer[0].value is False


def _session(environment: Mapping[str, str], *, has_display: bool, is_xwayland: bool) -> str:
    if has_display and not is_xwayland:
        return "x11"
    is_wayland = is_xwayland or environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland"
    return "wayland" if is_wayland else ""


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"
