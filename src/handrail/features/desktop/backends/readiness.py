"""Checks what works on a Linux desktop, and says how to fix what doesn't."""

import platform
from collections.abc import Iterator, Sequence

from handrail.features.desktop.backends.atspi.bus import ask_session
from handrail.features.desktop.backends.atspi.calls import property_of
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.camera import Camera
from handrail.features.desktop.backends.compositor import Compositor
from handrail.features.desktop.desktop_port import Issue, Reader, Readiness, Rect, Window
from handrail.ports.errors import Failure, PermissionMissing

_IS_ENABLED = property_of("org.a11y.Status", "IsEnabled")
_ENABLE_ACCESSIBILITY = (
    "Run `gsettings set org.gnome.desktop.interface toolkit-accessibility true` and start the apps again; for Qt also "
    "set QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1."
)
_ENABLE_APP_ACCESSIBILITY = (
    "Start it again with NO_AT_BRIDGE unset; Qt with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron with "
    "--force-renderer-accessibility, Java with java-atk-wrapper. Otherwise only pointer, keys and pictures work."
)


async def check_readiness(reader: Reader, compositor: Compositor, camera: Camera) -> Readiness:
    windows, issues = await _check_accessibility(reader)
    issues += (display_issues := compositor.display_issues())
    has_display = not display_issues
    picture_issues: list[Issue] = []
    if has_display:
        picture_issues = await _check_pictures(camera)
        issues += [*picture_issues, *compositor.input_issues(), *_unreadable_apps(windows)]
    return Readiness(
        can_read=windows is not None,
        can_look=has_display and not picture_issues,
        can_act=has_display and compositor.can_act,
        os=_system(),
        session=compositor.session,
        issues=tuple(issues),
    )


async def _check_accessibility(reader: Reader) -> tuple[Sequence[Window] | None, list[Issue]]:
    """Returns the windows, or None if nothing can be read, and the issues."""
    try:
        windows = await reader.windows()
    except Failure as failure:
        fix = failure.hint or "Install at-spi2-core and start the host inside the desktop session."
        return None, [Issue("accessibility", failure.message, fix)]
    issues = []
    if await _are_toolkits_off():
        message = "Accessibility is switched off in this session, so some programs expose no elements."
        issues.append(Issue("accessibility", message, _ENABLE_ACCESSIBILITY))
    if hanging := sorted(reader.unresponsive_pids()):
        processes = ", ".join(map(str, hanging))
        message = f"These processes are not responding, so they can't be read: {processes}."
        issues.append(Issue("app", message, "Wait until they respond, or end them."))
    elif not any(window.is_readable for window in windows):
        issues.append(Issue("app", "No app shows a window on the accessibility bus.", _ENABLE_APP_ACCESSIBILITY))
    return windows, issues


async def _check_pictures(camera: Camera) -> list[Issue]:
    try:
        await camera.screenshot(Rect(0, 0, 1, 1))
    except Failure as failure:
        return [Issue("screenRecording", failure.message, failure.hint or "")]
    return []


def _unreadable_apps(windows: Sequence[Window] | None) -> Iterator[Issue]:
    """Yields an issue for each app that has a window but is not on the accessibility bus."""
    for name in dict.fromkeys(window.app_name for window in windows or () if not window.is_readable):
        yield Issue("app", f"{name} exposes no elements: it isn't on the accessibility bus.", _ENABLE_APP_ACCESSIBILITY)


async def _are_toolkits_off() -> bool:
    try:
        answer = await ask_session(_IS_ENABLED)
    except PermissionMissing:
        return False
    return not isinstance(answer, Refused) and answer[0].value is False


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"
