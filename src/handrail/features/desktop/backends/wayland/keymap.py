"""The keymap of our virtual keyboard: an American one, with spare keys for everything that it lacks."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from Xlib import XK

from handrail.features.desktop.backends.keysyms import character

_ROWS = (
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (16, "qwertyuiop[]", "QWERTYUIOP{}"),
    (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
)
_NAMED = {
    XK.XK_Escape: 1,
    XK.XK_BackSpace: 14,
    XK.XK_Tab: 15,
    XK.XK_Return: 28,
    XK.XK_space: 57,
    XK.XK_Caps_Lock: 58,
    **{getattr(XK, f"XK_F{number}"): 58 + number for number in range(1, 11)},
    XK.XK_F11: 87,
    XK.XK_F12: 88,
    XK.XK_Home: 102,
    XK.XK_Up: 103,
    XK.XK_Page_Up: 104,
    XK.XK_Left: 105,
    XK.XK_Right: 106,
    XK.XK_End: 107,
    XK.XK_Down: 108,
    XK.XK_Page_Down: 109,
    XK.XK_Insert: 110,
    XK.XK_Delete: 111,
}
MODIFIERS = {XK.XK_Shift_L: (42, 1), XK.XK_Control_L: (29, 4), XK.XK_Alt_L: (56, 8), XK.XK_Super_L: (125, 64)}
"""The code of its key, and the modifier's bit."""
SHIFT = MODIFIERS[XK.XK_Shift_L]
_FIRST_SPARE, _LAST_SPARE = 202, 246
MOST_SPARE = _LAST_SPARE - _FIRST_SPARE + 1
_XKB_OFFSET = 8


class Stroke(NamedTuple):
    code: int
    is_shifted: bool = False


def _common() -> dict[int, Stroke]:
    found = {keysym: Stroke(code) for keysym, code in _NAMED.items()}
    for first, plain, shifted in _ROWS:
        for index in range(len(plain)):
            found[character(plain[index])] = Stroke(first + index)
            found[character(shifted[index])] = Stroke(first + index, is_shifted=True)
    return found


COMMON = _common()


def lacking(keysyms: Iterable[int]) -> list[int]:
    return [keysym for keysym in dict.fromkeys(keysyms) if keysym not in COMMON and keysym not in MODIFIERS]


def strokes(spare: Sequence[int]) -> dict[int, Stroke]:
    """How each keysym is typed where these have the spare keys."""
    return {**COMMON, **{keysym: Stroke(_FIRST_SPARE + index) for index, keysym in enumerate(spare)}}


def written(spare: Sequence[int]) -> str:
    names = [(f"HR{index:02}", _FIRST_SPARE + index + _XKB_OFFSET, keysym) for index, keysym in enumerate(spare)]
    codes = "".join(f"<{name}> = {code}; " for name, code, _ in names)
    symbols = "".join(f"key <{name}> {{ [ {keysym:#x} ] }}; " for name, _, keysym in names)
    return (
        "xkb_keymap {\n"
        f'xkb_keycodes {{ include "evdev+aliases(qwerty)" {codes}}};\n'
        'xkb_types { include "complete" };\n'
        'xkb_compat { include "complete" };\n'
        f'xkb_symbols {{ include "pc+us" {symbols}}};\n'
        "};\n"
    )
