"""The keymap of the virtual keyboard: the US layout, plus keys for missing keysyms."""

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
"""Key code and modifier bit, by keysym."""
SHIFT = MODIFIERS[XK.XK_Shift_L]
_FIRST_EXTRA_CODE, _LAST_EXTRA_CODE = 202, 246
MAX_EXTRA = _LAST_EXTRA_CODE - _FIRST_EXTRA_CODE + 1
_XKB_OFFSET = 8


class Stroke(NamedTuple):
    code: int
    is_shifted: bool = False


def _us_layout() -> dict[int, Stroke]:
    strokes_by_keysym = {keysym: Stroke(code) for keysym, code in _NAMED.items()}
    for first, plain, shifted in _ROWS:
        for index in range(len(plain)):
            strokes_by_keysym[character(plain[index])] = Stroke(first + index)
            strokes_by_keysym[character(shifted[index])] = Stroke(first + index, is_shifted=True)
    return strokes_by_keysym


US_LAYOUT = _us_layout()


def missing_keysyms(keysyms: Iterable[int]) -> list[int]:
    return [keysym for keysym in dict.fromkeys(keysyms) if keysym not in US_LAYOUT and keysym not in MODIFIERS]


def strokes(extra_keysyms: Sequence[int]) -> dict[int, Stroke]:
    """Returns how each keysym is typed, with keys for these extra keysyms."""
    return {**US_LAYOUT, **{keysym: Stroke(_FIRST_EXTRA_CODE + index) for index, keysym in enumerate(extra_keysyms)}}


def keymap_text(extra_keysyms: Sequence[int]) -> str:
    names = [
        (f"HR{index:02}", _FIRST_EXTRA_CODE + index + _XKB_OFFSET, keysym) for index, keysym in enumerate(extra_keysyms)
    ]
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
