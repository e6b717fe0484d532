"""Translates key names into keysyms, which X11 and Wayland share."""

from Xlib import XK

from handrail.features.desktop.desktop_port import KeyCombination
from handrail.ports.errors import InvalidParams

# `cmd` means the key for shortcuts, which is Control on Linux.
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


def key(name: str) -> int:
    """Returns the keysym of a named key, a modifier or a single character."""
    # `Page_Up`, `page-up` and `PageUp` are one key.
    plain = name.lower() if len(name) == 1 else name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if keysym := NAMED_KEYS.get(plain) or MODIFIERS.get(plain):
        return keysym
    if len(name) == 1 and (name.isprintable() or name in _CONTROL_CHARACTERS):
        return character(name)
    raise InvalidParams(f"Unknown key {name!r}.", key=name)


def character(text: str) -> int:
    """Returns the keysym that types a character."""
    code = ord(text)
    if text in _CONTROL_CHARACTERS:
        return _CONTROL_CHARACTERS[text]
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code


def keysyms(combination: KeyCombination) -> list[int]:
    result = [key(name) for name in combination.modifiers]
    if combination.key is not None:
        name = combination.key
        # With modifiers, `A` means the key and not the capital letter: Control+A is not Control+Shift+A.
        result.append(key(name.lower() if combination.modifiers and len(name) == 1 else name))
    return list(dict.fromkeys(result))
