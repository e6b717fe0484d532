"""Lists the top-level windows of all apps on the accessibility bus, matched with those on the screen."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import SCREEN, Elements, Origin
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.backends.matching import WindowTraits, match_windows
from handrail.features.desktop.desktop_port import Element, Rect, Window
from handrail.ports.errors import Gone, PermissionMissing, Timeout

_PATIENCE = 1.0
_PATIENCE_WITH_SLOW_APPS = 0.1
_PRESENT = frozenset(("visible", "showing", "iconified"))


@dataclass(frozen=True, slots=True)
class _AppWindow:
    ref: Ref
    element: Element
    traits: WindowTraits
    app_name: str
    is_relative: bool


class Windows:
    """The windows of all apps. Only those of an unresponsive app are missing."""

    def __init__(self, bus: AccessibilityBus, elements: Elements, top_windows: TopWindows | None) -> None:
        self._bus = bus
        self._elements = elements
        self._top_windows = top_windows
        self._identities = Identities()
        self._frames_are_relative = top_windows is not None and top_windows.frames_are_relative
        elements.use_relative_frames(is_always=self._frames_are_relative)
        self._is_relative: dict[str, bool] = {}
        self.matched: frozenset[int] = frozenset()
        """Windows on the screen that were matched for the last list."""
        self._slow_apps: dict[str, int] = {}
        """Pids, by bus name, of apps that did not answer last time; they get less time."""

    async def all(self) -> list[Window]:
        """Lists all windows, the one in front first."""
        answer = await self._bus.ask(Ref(calls.REGISTRY, calls.ROOT_PATH), calls.CHILDREN)
        if isinstance(answer, Refused):
            raise PermissionMissing(f"The accessibility registry does not answer: {answer.text}")
        apps = [Ref(*ref) for ref in answer[0]]
        names = {app.name for app in apps}
        self._slow_apps = {name: pid for name, pid in self._slow_apps.items() if name in names}
        app_windows = [window for windows in await asyncio.gather(*map(self._of_app, apps)) for window in windows]
        self._elements.treat_as_windows(
            [window.ref for window in app_windows if window.element.role == "AXGroup"], names
        )
        return sorted(self._describe(app_windows), key=lambda window: not window.is_front)

    def unresponsive_pids(self) -> Collection[int]:
        return set(self._slow_apps.values()) - {0}

    async def _of_app(self, app: Ref) -> list[_AppWindow]:
        patience = _PATIENCE_WITH_SLOW_APPS if app.name in self._slow_apps else _PATIENCE
        try:
            windows = await self._read(app, patience)
        except Timeout:
            self._slow_apps[app.name] = await self.pid(app.name)
            return []
        except Gone:
            return []
        self._slow_apps.pop(app.name, None)
        return windows

    async def _read(self, app: Ref, patience: float) -> list[_AppWindow]:
        name, children = await self._bus.send_all_once(
            app.name, [(app.path, calls.NAME), (app.path, calls.CHILDREN)], patience
        )
        if isinstance(name, Refused) or isinstance(children, Refused):
            return []
        refs = [Ref(*child) for child in children[0] if child[1] != calls.NULL_PATH]
        elements = await self._elements.of(refs, patience=patience)
        present = [(ref, one) for ref, one in zip(refs, elements, strict=True) if one and _is_window(one)]
        if not present:
            return []
        pid = await self.pid(app.name)
        is_relative = await self.is_relative(app.name, patience)
        return [
            _AppWindow(ref, one, WindowTraits(pid, one.title, one.frame), str(name[0].value), is_relative)
            for ref, one in present
        ]

    async def is_relative(self, app: str, patience: float = PATIENCE) -> bool:
        """Returns whether the app's frames are relative to its window, as in GTK 4 and on Wayland."""
        if self._frames_are_relative:
            return True
        handle = self._bus.handle(Ref(app, calls.ROOT_PATH))
        if handle not in self._is_relative:
            questions = [(calls.ROOT_PATH, calls.TOOLKIT), (calls.ROOT_PATH, calls.TOOLKIT_VERSION)]
            answers = await self._bus.send_all_once(app, questions, patience)
            toolkit, version = ("" if isinstance(answer, Refused) else str(answer[0].value) for answer in answers)
            self._is_relative[handle] = toolkit == "GTK" and version.startswith("4.")
        return self._is_relative[handle]

    async def on_screen(self, window: Window) -> Sequence[TopWindow]:
        """Returns the windows on the screen that it may be: one if it is clear which."""
        ref = await self._bus.ref(window.handle)
        siblings = [] if ref is None else await self._of_app(Ref(ref.name, calls.ROOT_PATH))
        sibling_traits = [one.traits for one in siblings if one.element.handle != window.handle]
        own_traits = next((one.traits for one in siblings if one.element.handle == window.handle), None)
        own_traits = own_traits or WindowTraits(window.pid, window.title, window.frame)
        return match_windows([own_traits, *sibling_traits], self._top_windows.all() if self._top_windows else [])[0]

    async def origin(self, app: str, window: WindowTraits) -> Origin | None:
        """Returns None if it is unknown."""
        if not await self.is_relative(app):
            return SCREEN
        return self._content_origin(match_windows([window], self._on_screen()[0])[0], window)

    async def pid(self, app: str) -> int:
        """Asks the bus itself, which answers even if the app doesn't. 0 if the app has left the bus."""
        pid = await self._bus.ask(Ref(calls.BUS, calls.BUS_PATH), calls.pid_of(app))
        return 0 if isinstance(pid, Refused) else int(pid[0])

    def _describe(self, app_windows: Sequence[_AppWindow]) -> list[Window]:
        top_windows, active = self._on_screen()
        pairs = list(
            zip(app_windows, match_windows([window.traits for window in app_windows], top_windows), strict=True)
        )
        self.matched = frozenset(top.id for _, on_screen in pairs for top in on_screen)
        pairs.sort(key=lambda pair: not pair[1])
        return [self._window(window, on_screen, active) for window, on_screen in pairs]

    def _on_screen(self) -> tuple[Sequence[TopWindow], int | None]:
        """Returns the compositor's windows and the active one, if there is a compositor."""
        try:
            return (self._top_windows.all(), self._top_windows.active()) if self._top_windows else ([], None)
        except PermissionMissing:
            return [], None

    def _window(self, one: _AppWindow, on_screen: Sequence[TopWindow], active: int | None) -> Window:
        """`on_screen` are the windows on the screen that it may be."""
        element = one.element
        frame = element.frame
        if frame and one.is_relative:
            frame = _move(frame, self._content_origin(on_screen, one.traits))
        app_id, ids = self._identities.of(one.traits.pid, one.app_name, on_screen[0].classes if on_screen else ())
        is_active = active in [top.id for top in on_screen]
        decides_itself = active is None or (is_active and len(on_screen) > 1)
        return Window(
            handle=element.handle,
            title=element.title or (on_screen[0].title if len(on_screen) == 1 else ""),
            app_name=one.app_name,
            app_id=app_id,
            ids=ids,
            pid=one.traits.pid,
            frame=frame,
            is_front="active" in element.states if decides_itself else is_active,
            is_modal="modal" in element.states or (bool(on_screen) and all(top.is_modal for top in on_screen)),
            is_minimized=bool(on_screen) and all(top.is_minimized for top in on_screen),
        )

    def _content_origin(self, windows: Sequence[TopWindow], traits: WindowTraits) -> Origin | None:
        """Returns where the content starts. If it is unclear which window it is, frames on X11 count from the screen.

        GTK 4's size doesn't include its border; on Wayland GTK 3's includes its shadow.
        """
        unknown = None if self._frames_are_relative else SCREEN
        frames = {window.visible_frame for window in windows}
        if len(frames) != 1 or (frame := frames.pop()) is None:
            return unknown
        content = traits.frame or frame
        right, down = (frame.width - content.width) // 2, (frame.height - content.height) // 2
        if not self._frames_are_relative:
            right, down = max(right, 0), max(down, 0)
        return Origin(frame.x + right, frame.y + down)


def _is_window(element: Element) -> bool:
    """Some toolkits list hidden windows, others windows with unusual roles."""
    return bool(element.states & _PRESENT) and (
        element.native_role in roles.WINDOW_NAMES or "showing" in element.states
    )


def _move(frame: Rect, origin: Origin | None) -> Rect | None:
    return None if origin is None else Rect(frame.x + origin[0], frame.y + origin[1], frame.width, frame.height)
