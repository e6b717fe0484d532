"""Key names of a hotkey as X keysyms, and where the current keyboard layout has them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from Xlib import XK

from handrail.features.desktop.backends.x11.connection import X11
from handrail.ports.errors import InvalidParams, Unsupported

# `cmd` is the key for shortcuts, which is Control here.
MODIFIERS: dict[str, int] = {
    **dict.fromkeys(("cmd", "command", "ctrl", "control"), XK.XK_Control_L),
    **dict.fromkeys(("alt", "option", "opt"), XK.XK_Alt_L),
    **dict.fromkeys(("super", "meta", "win"), XK.XK_Super_L),
    "shift": XK.XK_Shift_L,
}
_X11_NAMES = (
    *("Return", "Escape", "Tab", "space", "BackSpace", "Delete", "Insert", "Home", "End", "Page_Up", "Page_Down"),
    *("Up", "Down", "Left", "Right", "Caps_Lock", "Menu", "plus", "minus", "comma", "period", "slash", "backslash"),
    *("semicolon", "equal", "bracketleft", "bracketright", *(f"F{number}" for number in range(1, 25))),
)
NAMED_KEYS: dict[str, int] = {
    **{name.lower().replace("_", ""): XK.string_to_keysym(name) for name in _X11_NAMES},
    "enter": XK.XK_Return,
    "esc": XK.XK_Escape,
    "del": XK.XK_Delete,
    "forwarddelete": XK.XK_Delete,
    "arrowup": XK.XK_Up,
    "arrowdown": XK.XK_Down,
    "arrowleft": XK.XK_Left,
    "arrowright": XK.XK_Right,
    "printscreen": XK.XK_Print,
    "quote": XK.XK_apostrophe,
    "backquote": XK.XK_grave,
}
_CONTROL_CHARACTERS: dict[str, int] = {"\n": XK.XK_Return, "\r": XK.XK_Return, "\t": XK.XK_Tab}
_UNICODE = 0x01000000
_MEDIA_KEYS = range(0x1008FE01, 0x10090000)
_LOCKING = (1, 4)
"""Caps Lock and, on every common layout, Num Lock (Mod2)."""
_LEVELS = 2
"""Plain and with Shift: further levels depend on more than a core request can tell."""


def key(name: str) -> int:
    """The keysym of a named key, a modifier or a single character."""
    # `Page_Up`, `page-up` and `PageUp` are one key.
    plain = name.lower() if len(name) == 1 else name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if keysym := NAMED_KEYS.get(plain) or MODIFIERS.get(plain):
        return keysym
    if len(name) == 1 and (name.isprintable() or name in _CONTROL_CHARACTERS):
        return character(name)
    raise InvalidParams(f"There is no key named {name!r}.", key=name)


def character(text: str) -> int:
    """The keysym that types one character."""
    code = ord(text)
    if text in _CONTROL_CHARACTERS:
        return _CONTROL_CHARACTERS[text]
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code


@dataclass(frozen=True, slots=True)
class Stroke:
    keycode: int
    is_shifted: bool = False


class Layout:
    """The current layout. Keysyms that it lacks get spare keys for a moment."""

    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        info = x11.display().display.info
        self._first = int(info.min_keycode)
        self._rows: list[list[int]] = [
            list(row) for row in x11.display().get_keyboard_mapping(self._first, info.max_keycode - self._first + 1)
        ]
        self._strokes: dict[int, Stroke] = {}
        for level in range(_LEVELS):
            for keycode, row in enumerate(self._rows, self._first):
                if level < len(row) and row[level]:
                    self._strokes.setdefault(row[level], Stroke(keycode, is_shifted=level == 1))

    def stroke(self, keysym: int) -> Stroke | None:
        return self._strokes.get(keysym)

    def modifier_keycodes(self) -> list[int]:
        """Of modifiers that are held down, not those that lock."""
        rows: list[list[int]] = self._x11.display().get_modifier_mapping()
        return [keycode for modifier, row in enumerate(rows) if modifier not in _LOCKING for keycode in row if keycode]

    @property
    def most_lent(self) -> int:
        return len(self._lendable())

    @contextmanager
    def lending(self, keysyms: Iterable[int]) -> Iterator[None]:
        """Gives each keysym that the layout lacks a key (at most `most_lent`) inside the context."""
        lacking = [keysym for keysym in dict.fromkeys(keysyms) if keysym not in self._strokes]
        if not lacking:
            yield
            return
        keycodes = self._lendable()[: len(lacking)]
        if len(keycodes) < len(lacking):
            raise Unsupported("The keyboard has not enough spare keys for so many that its layout lacks.")
        before = [self._rows[keycode - self._first] for keycode in keycodes]
        width = len(self._rows[0])
        # The same on every level, so that neither Shift nor another group turns it into something else.
        self._change(keycodes, [[keysym] * width for keysym in lacking])
        lent = {keysym: Stroke(keycode) for keysym, keycode in zip(lacking, keycodes, strict=True)}
        self._strokes.update(lent)
        try:
            yield
        finally:
            for keysym in lent:
                del self._strokes[keysym]
            self._change(keycodes, before)

    def _change(self, keycodes: Sequence[int], rows: list[list[int]]) -> None:
        display = self._x11.display()
        display.change_keyboard_mapping(keycodes[0], rows)
        display.sync()

    def _lendable(self) -> list[int]:
        """The longest row of unused or media keys: one request changes it, and programs reread the layout only once."""
        best: list[int] = []
        run: list[int] = []
        for keycode, row in enumerate(self._rows, self._first):
            run = [*run, keycode] if all(sym == 0 or sym in _MEDIA_KEYS for sym in row) else []
            best = max(best, run, key=len)
        return best
