"""The desktop's hands on Linux, behind the port `Actor`: an element's own action first, then pointer and keys."""

from collections.abc import Sequence

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.acting.clicking import Clicking, Look
from handrail.features.desktop.backends.acting.focusing import Focusing
from handrail.features.desktop.backends.acting.key_windows import KeyWindows
from handrail.features.desktop.backends.acting.pasting import Pasting
from handrail.features.desktop.backends.acting.typing import Typing
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.x11.clipboard import Clipboard
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.input import Keyboard
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import Combination, Delivery, Element, Window
from handrail.ports.errors import Conflict

_PRESSES = ("click", "press", "clicked", "push")
_CHOICES = ("select", "jump", "dodefault", "invoke")
_SWITCHES = ("toggle", "check", "uncheck", "clickancestor", "activate", "open")
"""A row is toggled out of what is selected, and opened as by a double click; a field is left as by the Enter key."""
_WEAK = ("expandorcontract", "expand", "collapse", "showmenu", "switch")
_FIELDS = frozenset({"AXTextField", "AXTextArea", "AXSecureTextField", "AXDateField"})
_ROWS = frozenset({"AXRow", "AXCell"})


def pressing_action(element: Element, names: Sequence[str]) -> int | None:
    """The index, or None where none of them is a press."""
    plain = [name.lower().replace(" ", "").replace("_", "").replace("-", "") for name in names]
    wanted: tuple[str, ...] = (*_PRESSES, *_CHOICES, *_SWITCHES, *_WEAK)
    if element.role in _FIELDS or "editable" in element.states:
        wanted = _PRESSES
    elif element.role in _ROWS:
        wanted = (*_PRESSES, *_CHOICES)
    return next((plain.index(name) for name in wanted if name in plain), None)


_ABLE = frozenset({"enabled", "sensitive"})


class LinuxActor:
    def __init__(self, bus: AccessibilityBus, x11: X11, windows: TopWindows, look: Look) -> None:
        self._bus = bus
        self._keyboard = Keyboard(x11)
        self._clipboard = Clipboard(x11)
        self._clicking = Clicking(bus, x11, windows, look)
        self._focusing = Focusing(bus, windows, self._clicking)
        self._key_windows = KeyWindows(bus, windows)
        pasting = Pasting(self._clipboard, self._keyboard)
        self._typing = Typing(bus, windows, self._key_windows, self._focusing, pasting, self._keyboard)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._focusing.bring_to_front(window)

    async def press(self, window: Window, element: Element) -> Delivery:
        accessible = await Accessible.behind(self._bus, element.handle)
        if not _ABLE & await accessible.living_states():
            raise Conflict("The element is switched off.", hint="Something else must be done first.")
        names = await accessible.action_names()
        index = pressing_action(element, names)
        if index is not None and await accessible.do_action(index):
            return Delivery(f"action:{names[index]}")
        await self._clicking.click(window, element)
        return Delivery("pointer")

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._focusing.focus(window, element)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._typing.type_text(window, element, text, clear_before=clear_before)

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        top = await self._key_windows.behind(window)
        await self._keyboard.send(combinations, before_each=self._key_windows.check(top), delay_ms=delay_ms)

    async def close(self) -> None:
        await self._clipboard.close()
