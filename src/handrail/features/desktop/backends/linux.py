"""The desktop of a Linux session: read through AT-SPI2, acted on through AT-SPI2 and what draws its windows."""

import asyncio
import platform
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress

from handrail.features.desktop.backends import launching
from handrail.features.desktop.backends.acting.choices import Choices
from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.acting.menus import Menus
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, ask_session
from handrail.features.desktop.backends.atspi.calls import property_of
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.bare_windows import BareWindows
from handrail.features.desktop.backends.compositor import Compositor, TopWindow
from handrail.features.desktop.backends.opening import open_compositor
from handrail.features.desktop.backends.screen import Camera
from handrail.features.desktop.platform import (
    Arrangement,
    Changes,
    Combination,
    Delivery,
    Element,
    Found,
    Gesture,
    Issue,
    Place,
    Query,
    Reader,
    Readiness,
    Rect,
    Tree,
    Window,
)
from handrail.ports.errors import Failure, Gone, NotFound, PermissionMissing


class LinuxDesktop(AtspiReader, Camera):
    """Must be created on the event loop that uses it. Connects only when needed."""

    def __init__(self, compositor: Compositor | None = None) -> None:
        self._compositor = open_compositor() if compositor is None else compositor
        self._top_windows = self._compositor.windows
        AtspiReader.__init__(self, AccessibilityBus(), self._top_windows)
        Camera.__init__(self, self._compositor)
        self._bare = BareWindows(self._top_windows)
        self._actions = ElementActions(self._bus, self._compositor, self.look, self._on_screen)
        self._keyboard = KeyboardInput(self._bus, self._compositor, self._actions)
        self._choices = Choices(self._bus, self.below, self._actions, self._keyboard)
        self._menus = Menus(self.below, self.look, self._actions, self._keyboard)

    async def windows(self) -> Sequence[Window]:
        """Also without accessibility, where there is a display."""
        try:
            told, missing = await super().windows(), None
        except PermissionMissing as failure:
            told, missing = [], failure
        try:
            bare = self._bare.all({window.pid for window in told}, self.silent(), self._windows.matched)
        except PermissionMissing:
            bare = []
        if missing is not None and not bare:
            raise missing
        return sorted([*told, *bare], key=lambda window: not window.is_front)

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        if self._bare.is_one(window.handle):
            return self._bare.tree(window)
        return await super().tree(window, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        if self._bare.is_one(window.handle):
            element = self._bare.tree(window).root.element
            return [Found(element)] if self._bare.fits(element, query) else []
        return await super().find(window, query)

    async def addresses(self, window: Window) -> Sequence[str] | None:
        return self._bare.addresses(window) if self._bare.is_one(window.handle) else await super().addresses(window)

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None:
        if self._bare.is_one(window.handle):
            return None if path else Found(self._bare.tree(window).root.element)
        return await super().at_path(window, path)

    async def look(self, handle: str) -> Element | None:
        return self._bare.look(handle) if self._bare.is_one(handle) else await super().look(handle)

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        followed = self._bare.changes() if self._bare.is_one(window.handle) else super().changes(window)
        async with followed as changes:
            yield changes

    async def _on_screen(self, window: Window) -> Sequence[TopWindow]:
        if not self._bare.is_one(window.handle):
            return await self._windows.on_screen(window)
        if (top := self._bare.top(window)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return [top]

    async def bring_to_front(self, window: Window) -> bool:
        return await self._actions.bring_to_front(window)

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._actions.press(window, element)

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._actions.focus(window, element)

    async def window_at(self, x: int, y: int) -> Window | None:
        for window in await self.windows():
            if window.frame is not None and window.frame.meets(Rect(x, y, 1, 1)):
                with suppress(Gone):
                    shown = await self._on_screen(window)
                    if len(shown) == 1 and self._top_windows.reaches(shown[0].id, x, y):
                        return window
        return None

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        return await self._actions.point(window, place, gesture)

    async def arrange(self, window: Window, change: Arrangement) -> None:
        top = await self._actions.key_window(window)
        await self._top_windows.arrange(top.id, change)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._keyboard.type_text(window, element, text, clear_before=clear_before)

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        self._require_told(window)
        return await self._choices.set_value(window, element, value)

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        self._require_told(window)
        return await self._menus.choose(window, path)

    def _require_told(self, window: Window) -> None:
        if self._bare.is_one(window.handle):
            raise NotFound(
                f"{window.app_name or window.title} exposes no menus or fields: nothing was done.",
                hint="Use desktop_hotkey, for example alt+f, or a point or mark of the picture.",
            )

    async def clipboard(self) -> str | None:
        return await self._compositor.clipboard.text()

    async def put_on_clipboard(self, text: str) -> None:
        await self._compositor.clipboard.put(text)

    async def launch(self, app: str, file: str | None) -> int:
        return await asyncio.to_thread(launching.launch, app, file)

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        await self._keyboard.send_keys(window, combinations, delay_ms=delay_ms)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._compositor.highlight(frame, duration_ms)

    async def readiness(self) -> Readiness:
        return await check_readiness(self, self._compositor, self)

    async def close(self) -> None:
        self._children.close()
        await self._bus.close()
        await self._compositor.close()


_IS_ENABLED = property_of("org.a11y.Status", "IsEnabled")
_ALLOW_TOOLKITS = (
    "Run `gsettings set org.gnome.desktop.interface toolkit-accessibility true` and start the apps again; for Qt also "
    "set QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1."
)
_LET_APPS_IN = (
    "Start it again with NO_AT_BRIDGE unset; Qt with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron with "
    "--force-renderer-accessibility, Java with java-atk-wrapper. Without that only pointer, keys and pictures reach it."
)


async def check_readiness(reader: Reader, compositor: Compositor, camera: Camera) -> Readiness:
    seen, issues = await _check_accessibility(reader)
    issues += (display_issues := compositor.display_issues())
    has_display = not display_issues
    picture_issues: list[Issue] = []
    if has_display:
        picture_issues = await _check_pictures(camera)
        issues += [*picture_issues, *compositor.input_issues(), *_unreadable_apps(seen)]
    return Readiness(
        can_read=seen is not None,
        can_look=has_display and not picture_issues,
        can_act=has_display and compositor.can_act,
        os=_system(),
        session=compositor.session,
        issues=tuple(issues),
    )


async def _check_accessibility(reader: Reader) -> tuple[Sequence[Window] | None, list[Issue]]:
    """None if nothing can be read at all."""
    try:
        windows = await reader.windows()
    except Failure as failure:
        fix = failure.hint or "Install at-spi2-core and start the host inside the desktop session."
        return None, [Issue("accessibility", failure.message, fix)]
    issues = []
    if await _are_toolkits_off():
        message = "Accessibility is switched off in this session, so some programs expose no elements."
        issues.append(Issue("accessibility", message, _ALLOW_TOOLKITS))
    if not any(window.is_readable for window in windows):
        issues.append(Issue("app", "No app shows a window on the accessibility bus.", _LET_APPS_IN))
    return windows, issues


async def _check_pictures(camera: Camera) -> list[Issue]:
    try:
        await camera.shot(Rect(0, 0, 1, 1))
    except Failure as failure:
        return [Issue("screenRecording", failure.message, failure.hint or "")]
    return []


def _unreadable_apps(seen: Sequence[Window] | None) -> Iterator[Issue]:
    """Apps that have a window and are not on the accessibility bus."""
    for name in dict.fromkeys(window.app_name for window in seen or () if not window.is_readable):
        yield Issue("app", f"{name} exposes no elements: it isn't on the accessibility bus.", _LET_APPS_IN)


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
