"""Windows as KWin reports them to a script, which it runs when asked over D-Bus."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import session_bus
from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.backends.kwin.bus import KWinBus, Refused
from handrail.features.desktop.desktop_port import Rect, WindowChange
from handrail.ports.errors import PermissionMissing, Timeout, Unsupported

_SCRIPTING, _SCRIPTING_PATH = "org.kde.kwin.Scripting", "/Scripting"
_SCRIPT = "org.kde.kwin.Script"
_SCRIPT_PATH, _SCRIPT_PATH_BEFORE_6 = "/Scripting/Script{}", "/{}"
_NUMBER_IN_TITLE = re.compile(r" <[0-9]+>\u200e?$")
"""Where two windows have the same title, KWin adds a number to one of them."""
_ID_DIGITS = 12
"""Hexadecimal digits of a window's UUID that are its id."""
_LIST = """
var windows = workspace.windowList ? workspace.windowList() : workspace.clientList();
var active = workspace.activeWindow || workspace.activeClient;
function isHere(one) {
  if (one.onAllDesktops) return true;
  return workspace.windowList
    ? one.desktops.indexOf(workspace.currentDesktop) >= 0
    : one.desktop == workspace.currentDesktop;
}
function box(one) { return [one.x, one.y, one.width, one.height]; }
callDBus(%s, "/", "handrail.KWin", "windows", JSON.stringify(windows.map(function (one) {
  return {
    id: String(one.internalId), pid: one.pid, title: one.caption, order: one.stackingOrder, modal: one.modal,
    minimized: one.minimized,
    classes: [String(one.resourceClass), String(one.desktopFileName)],
    frame: box(one.frameGeometry), buffer: box(one.bufferGeometry),
    is_active: one == active, is_shown: !one.minimized && isHere(one),
    is_for_people: one.normalWindow || one.dialog || one.utility,
  };
})));
"""
_ACTIVATE = """
var windows = workspace.windowList ? workspace.windowList() : workspace.clientList();
windows.forEach(function (one) {
  if (String(one.internalId).replace(/[^0-9a-f]/g, "").indexOf(%s) != 0) return;
  if (workspace.windowList) workspace.activeWindow = one; else workspace.activeClient = one;
});
"""


class _Reported(msgspec.Struct):
    id: str
    pid: int
    title: str
    order: int
    modal: bool
    minimized: bool
    classes: list[str]
    frame: tuple[float, float, float, float]
    buffer: tuple[float, float, float, float]
    is_active: bool
    is_shown: bool
    is_for_people: bool


class KWinWindows(TopWindows):
    frames_are_relative = True

    def all(self) -> list[TopWindow]:
        return [_window(one) for one in _reported()]

    def shown(self) -> list[TopWindow]:
        return [_window(one) for one in _reported() if one.is_shown]

    def read(self, window_id: int) -> TopWindow | None:
        return next((window for window in self.all() if window.id == window_id), None)

    def focused_window(self) -> int | None:
        return next((_window(one).id for one in _reported() if one.is_active), None)

    def request_front(self, window_id: int) -> None:
        with _connected() as bus:
            _run(bus, _ACTIVATE % json.dumps(f"{window_id:0{_ID_DIGITS}x}"))

    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        point = Rect(x, y, 1, 1)
        above = [one for one in self.shown() if one.frame is not None and one.frame.intersection(point)]
        return bool(above) and above[-1].id == window_id

    async def arrange(self, window_id: int, change: WindowChange) -> None:
        raise Unsupported("handrail can't close, move or resize windows of KWin.")


@contextmanager
def _connected() -> Iterator[KWinBus]:
    try:
        if (address := session_bus(os.environ)) is None:
            raise ConnectionRefusedError("there is no session bus")
        with KWinBus(address) as bus:
            yield bus
    except TimeoutError:
        raise Timeout("KWin doesn't answer.", hint="If it was stopped, resume it; then try again.") from None
    except (OSError, EOFError, Refused) as error:
        raise PermissionMissing(
            f"KWin can't be reached: {error}", hint="Start handrail in the same session as KWin."
        ) from None


def _reported() -> list[_Reported]:
    """Lists windows from the bottom to the top."""
    with _connected() as bus:
        _run(bus, _LIST % json.dumps(bus.name))
        windows = msgspec.json.decode(bus.next_call()[0], type=list[_Reported])
    titles = {one.title for one in windows}
    for one in windows:
        if (title := _NUMBER_IN_TITLE.sub("", one.title)) in titles:
            one.title = title
    return sorted(windows, key=lambda one: one.order)


def _run(bus: KWinBus, script: str) -> None:
    plugin = f"handrail{bus.name}"
    with tempfile.NamedTemporaryFile("w", suffix=".js") as file:
        file.write(script)
        file.flush()
        number = bus.ask(_SCRIPTING_PATH, Call(_SCRIPTING, "loadScript", "ss", file.name, plugin))[0]
        try:
            _start(bus, number)
        finally:
            bus.ask(_SCRIPTING_PATH, Call(_SCRIPTING, "unloadScript", "s", plugin))


def _start(bus: KWinBus, number: int) -> None:
    run = Call(_SCRIPT, "run")
    try:
        bus.ask(_SCRIPT_PATH.format(number), run)
    except Refused:
        bus.ask(_SCRIPT_PATH_BEFORE_6.format(number), run)


def _window(one: _Reported) -> TopWindow:
    return TopWindow(
        id=int(one.id.strip("{}").replace("-", "")[:_ID_DIGITS], 16),
        pid=one.pid,
        classes=tuple(dict.fromkeys(name for name in one.classes if name)),
        title=one.title,
        frame=_rect(one.frame).intersection(_rect(one.buffer)),
        is_modal=one.modal,
        is_minimized=one.minimized,
        is_for_people=one.is_for_people,
    )


def _rect(box: tuple[float, float, float, float]) -> Rect:
    return Rect(*(round(number) for number in box))
