"""The top-level windows of every app on the bus, and what the screen knows of them beside. An app that hangs hides only
itself.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.atspi.origins import Origins, content_of
from handrail.features.desktop.backends.atspi.screen_windows import Look, ScreenWindow, ScreenWindows, paired
from handrail.features.desktop.platform import Element, Rect, Window
from handrail.ports.errors import Gone, PermissionMissing, Timeout

_PATIENCE = 1.0
_PATIENCE_WITH_THE_SLOW = 0.1
_PRESENT = frozenset(("visible", "showing", "iconified"))


@dataclass(frozen=True, slots=True)
class _Found:
    ref: Ref
    element: Element
    pid: int
    app_name: str
    is_relative: bool

    @property
    def look(self) -> Look:
        return Look(self.pid, self.element.title, self.element.frame)


class Windows:
    def __init__(
        self,
        bus: AccessibilityBus,
        elements: Elements,
        origins: Origins,
        identities: Identities,
        screen: ScreenWindows | None,
    ) -> None:
        self._bus = bus
        self._elements = elements
        self._origins = origins
        self._identities = identities
        self._screen = screen
        self._slow: dict[str, int] = {}
        """Apps that did not answer the last time, and their processes: nobody waits long for them again."""

    async def all(self) -> list[Window]:
        """The front one first."""
        answer = await self._bus.ask(Ref(calls.REGISTRY, calls.ROOT_PATH), calls.CHILDREN)
        if isinstance(answer, Refused):
            raise PermissionMissing(f"The accessibility registry does not answer: {answer.text}")
        apps = [Ref(*ref) for ref in answer[0]]
        names = {app.name for app in apps}
        self._slow = {name: pid for name, pid in self._slow.items() if name in names}
        found = [window for windows in await asyncio.gather(*map(self._of_app, apps)) for window in windows]
        self._elements.count_as_windows([one.ref for one in found if one.element.role == "AXGroup"], names)
        return sorted(self._described(found), key=lambda window: not window.is_front)

    def silent(self) -> Collection[int]:
        return set(self._slow.values()) - {0}

    async def _of_app(self, app: Ref) -> list[_Found]:
        patience = _PATIENCE_WITH_THE_SLOW if app.name in self._slow else _PATIENCE
        try:
            found = await self._read(app, patience)
        except Timeout:
            self._slow[app.name] = await self._pid(app)
            return []
        except Gone:
            return []
        self._slow.pop(app.name, None)
        return found

    async def _read(self, app: Ref, patience: float) -> list[_Found]:
        name, children = await self._bus.tell_all(
            app.name, [(app.path, calls.NAME), (app.path, calls.CHILDREN)], patience
        )
        if isinstance(name, Refused) or isinstance(children, Refused):
            return []
        refs = [Ref(*child) for child in children[0] if child[1] != calls.NULL_PATH]
        elements = await self._elements.of(refs, patience=patience)
        present = [(ref, one) for ref, one in zip(refs, elements, strict=True) if one and _is_window(one)]
        if not present:
            return []
        pid = await self._pid(app)
        is_relative = await self._origins.is_counting_from_window(app.name, patience)
        return [_Found(ref, element, pid, str(name[0].value), is_relative) for ref, element in present]

    async def _pid(self, app: Ref) -> int:
        """From the bus itself, which answers also where the app does not; 0 for one that has left it."""
        pid = await self._bus.ask(Ref(calls.BUS, calls.BUS_PATH), calls.pid_of(app.name))
        return 0 if isinstance(pid, Refused) else int(pid[0])

    def _described(self, found: Sequence[_Found]) -> list[Window]:
        shown = self._screen.all() if self._screen else []
        active = self._screen.active() if self._screen else None
        pairs = list(zip(found, paired([one.look for one in found], shown), strict=True))
        pairs.sort(key=lambda pair: pair[1] is None)
        return [self._window(one, on_screen, active) for one, on_screen in pairs]

    def _window(self, one: _Found, on_screen: ScreenWindow | None, active: int | None) -> Window:
        element = one.element
        frame = element.frame
        if frame and one.is_relative:
            x, y = content_of(on_screen, one.look)
            frame = Rect(frame.x + x, frame.y + y, frame.width, frame.height)
        identity = self._identities.of(one.pid, one.app_name, on_screen.classes if on_screen else ())
        return Window(
            handle=element.handle,
            title=element.title,
            app_name=one.app_name,
            app_id=identity.app_id,
            ids=identity.ids,
            pid=one.pid,
            frame=frame,
            is_front=(
                "active" in element.states if active is None else on_screen is not None and on_screen.id == active
            ),
            is_modal="modal" in element.states or (on_screen is not None and on_screen.is_modal),
        )


def _is_window(element: Element) -> bool:
    """Hidden ones are listed by some toolkits, and windows of odd roles by others."""
    return bool(element.states & _PRESENT) and (
        element.native_role in roles.WINDOW_NAMES or "showing" in element.states
    )
