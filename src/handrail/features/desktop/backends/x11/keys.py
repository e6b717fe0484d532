"""The names of keys in a hotkey, and what an X server calls them. Refuses to know any keyboard's layout."""

from Xlib import XK

from handrail.ports.errors import InvalidParams

MODIFIERS: dict[str, int] = {
    "cmd": XK.XK_Control_L,
    "command": XK.XK_Control_L,
    "ctrl": XK.XK_Control_L,
    "control": XK.XK_Control_L,
    "alt": XK.XK_Alt_L,
    "option": XK.XK_Alt_L,
    "opt": XK.XK_Alt_L,
    "shift": XK.XK_Shift_L,
    "super": XK.XK_Super_L,
    "meta": XK.XK_Super_L,
    "win": XK.XK_Super_L,
}
"""`cmd` is the key that shortcuts are made with, and that is Control here."""

_NAMED: dict[str, int] = {
    "enter": XK.XK_Return,
    "return": XK.XK_Return,
    "esc": XK.XK_Escape,
    "escape": XK.XK_Escape,
    "tab": XK.XK_Tab,
    "space": XK.XK_space,
    "backspace": XK.XK_BackSpace,
    "delete": XK.XK_Delete,
    "forwarddelete": XK.XK_Delete,
    "del": XK.XK_Delete,
    "insert": XK.XK_Insert,
    "home": XK.XK_Home,
    "end": XK.XK_End,
    "pageup": XK.XK_Page_Up,
    "pagedown": XK.XK_Page_Down,
    "up": XK.XK_Up,
    "down": XK.XK_Down,
    "left": XK.XK_Left,
    "right": XK.XK_Right,
    "arrowup": XK.XK_Up,
    "arrowdown": XK.XK_Down,
    "arrowleft": XK.XK_Left,
    "arrowright": XK.XK_Right,
    "capslock": XK.XK_Caps_Lock,
    "menu": XK.XK_Menu,
    "printscreen": XK.XK_Print,
    "plus": XK.XK_plus,
    "minus": XK.XK_minus,
    "comma": XK.XK_comma,
    "period": XK.XK_period,
    "slash": XK.XK_slash,
    "backslash": XK.XK_backslash,
    "semicolon": XK.XK_semicolon,
    "quote": XK.XK_apostrophe,
    "backquote": XK.XK_grave,
    "equal": XK.XK_equal,
    "bracketleft": XK.XK_bracketleft,
    "bracketright": XK.XK_bracketright,
    **{f"f{number}": XK.XK_F1 + number - 1 for number in range(1, 25)},
}
_UNICODE = 0x01000000
_TYPED: dict[str, int] = {"\n": XK.XK_Return, "\r": XK.XK_Return, "\t": XK.XK_Tab}


def modifier(name: str) -> int:
    if (found := MODIFIERS.get(_plain(name))) is None:
        raise _unknown(name)
    return found


def key(name: str) -> int:
    """The keysym of a named key or of a single character."""
    if (found := _NAMED.get(_plain(name)) or MODIFIERS.get(_plain(name))) is not None:
        return found
    if len(name) == 1 and (name.isprintable() or name in _TYPED):
        return character(name)
    raise _unknown(name)


def character(text: str) -> int:
    """The keysym that types one character."""
    code = ord(text)
    if text in _TYPED:
        return _TYPED[text]
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code


def _plain(name: str) -> str:
    """`Page_Up`, `page-up` and `PageUp` are one key; a sign stays what it is."""
    return name.lower() if len(name) == 1 else name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _unknown(name: str) -> InvalidParams:
    hint = "The fn key is inside the keyboard: no program can press it." if _plain(name) == "fn" else None
    return InvalidParams(f"There is no key named {name!r}.", hint=hint, key=name)
