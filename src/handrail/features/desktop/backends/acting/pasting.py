"""Pastes a text into the window that has the keys: lends it to the clipboard, presses the shortcut, sees it taken."""

import asyncio
from collections.abc import Awaitable, Callable

from handrail.features.desktop.backends.x11.clipboard import Clipboard, Offer
from handrail.features.desktop.backends.x11.input import Check, Keyboard
from handrail.features.desktop.backends.x11.windows import TopWindow
from handrail.features.desktop.platform import Combination

_PASTE = Combination(("ctrl",), "v")
_PASTE_IN_TERMINAL = Combination(("ctrl", "shift"), "v")
_ASKING_SECONDS = 1.0
_TAKING_SECONDS = 2.0
_SECONDS_A_MEGABYTE = 10.0
_AFTERWARDS_SECONDS = 0.1
"""Some programs ask a second time for what they have just read."""
_TERMINALS = frozenset(
    {
        *("alacritty", "blackbox", "com.gexperts.tilix", "contour", "cool-retro-term", "deepin-terminal", "foot"),
        *("ghostty", "gnome-terminal", "gnome-terminal-server", "guake", "io.elementary.terminal", "kgx", "kitty"),
        *("konsole", "lxterminal", "mate-terminal", "org.gnome.console", "org.gnome.ptyxis", "org.gnome.terminal"),
        *("org.wezfurlong.wezterm", "ptyxis", "qterminal", "sakura", "terminator", "terminology", "tilda", "tilix"),
        *("wezterm", "wezterm-gui", "xfce4-terminal", "yakuake"),
    }
)
_WITHOUT_SHORTCUT = frozenset({"xterm", "uxterm", "rxvt", "urxvt", "st", "st-256color", "aterm", "eterm"})


def can_paste(window: TopWindow) -> bool:
    """False for terminals that have no shortcut for it."""
    return not _names(window) & _WITHOUT_SHORTCUT


class Pasting:
    def __init__(self, clipboard: Clipboard, keyboard: Keyboard) -> None:
        self._clipboard = clipboard
        self._keyboard = keyboard

    async def paste(
        self,
        window: TopWindow,
        text: str,
        *,
        check: Check,
        answers: Callable[[], Awaitable[None]],
        arrived: Callable[[], Awaitable[bool | None]],
    ) -> tuple[bool, bool | None]:
        """Whether the program took the text, and what `arrived` says. `check` is made just before the keys, `answers`
        returns when the program answers: one that is busy would find other content when it comes to our keys.
        """
        shortcut = _PASTE_IN_TERMINAL if _names(window) & _TERMINALS else _PASTE
        async with self._clipboard.lending(text, window.id) as offer:
            await self._keyboard.send([shortcut], before_each=check)
            if not await _asked(offer, answers):
                return False, None
            if not await _taken(offer, len(text)):
                return True, False
            is_there = await arrived()
            if is_there is None:
                await asyncio.sleep(_AFTERWARDS_SECONDS)
            return True, is_there


async def _asked(offer: Offer, answers: Callable[[], Awaitable[None]]) -> bool:
    if await _comes(offer.asked, _ASKING_SECONDS):
        return True
    await answers()
    return await _comes(offer.asked, _ASKING_SECONDS)


async def _taken(offer: Offer, size: int) -> bool:
    return await _comes(offer.taken, _TAKING_SECONDS + size / 1e6 * _SECONDS_A_MEGABYTE)


async def _comes(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _names(window: TopWindow) -> set[str]:
    return {name.lower() for name in window.classes}
