"""`keys` of a hotkey: one combination key by key, or whole combinations one after the other. Pure.

Names that no keyboard has are refused here, before anybody is asked about them.
"""

from collections.abc import Sequence

from handrail.features.desktop.platform import Combination
from handrail.ports.errors import InvalidParams

MODIFIERS = frozenset(["cmd", "command", "ctrl", "control", "alt", "option", "opt", "shift", "super", "meta", "win"])

KEYS = frozenset(
    [
        *("enter", "return", "esc", "escape", "tab", "space", "backspace", "delete", "forwarddelete", "del", "insert"),
        *("home", "end", "pageup", "pagedown", "up", "down", "left", "right"),
        *("arrowup", "arrowdown", "arrowleft", "arrowright", "capslock", "menu", "printscreen"),
        *("plus", "minus", "comma", "period", "slash", "backslash", "semicolon", "quote", "backquote", "equal"),
        *("bracketleft", "bracketright"),
        *(f"f{number}" for number in range(1, 25)),
    ]
)
"""Keys with a name; all others are named by their character."""
_TYPED = "\n\r\t"


def combinations(keys: Sequence[str], at: str = "params.keys") -> Sequence[Combination]:
    """`["cmd", "v"]` is one; `["cmd+a", "cmd+c"]` are two. InvalidParams names the item that makes no sense."""
    if any(len(key) > 1 and "+" in key for key in keys):
        return [_combination(_pieces(key, at), f"{at}[{index}]") for index, key in enumerate(keys)]
    return [_combination(keys, at)]


def _combination(names: Sequence[str], field: str) -> Combination:
    modifiers = [name for name in names if name.strip().lower() in MODIFIERS]
    others = [name for name in names if name.strip().lower() not in MODIFIERS]
    if len(others) > 1:
        raise InvalidParams(
            f"{field}: {', '.join(map(repr, others))} are several keys, and a combination has one beside modifiers.",
            hint='Send whole combinations in their order: ["cmd+a", "cmd+c"].',
            field=field,
        )
    for name in others:
        _check_key(name, field)
    return Combination(tuple(name.strip().lower() for name in modifiers), others[0] if others else None)


def _check_key(name: str, field: str) -> None:
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if plain in KEYS or (len(name) == 1 and (name.isprintable() or name in _TYPED)):
        return
    hint = "The fn key is inside the keyboard: no program can press it." if plain == "fn" else None
    raise InvalidParams(f"{field}: there is no key named {name!r}.", hint=hint, field=field)


def _pieces(text: str, at: str) -> list[str]:
    """`ctrl++` is Control and the plus key."""
    head, key = (text[:-2], "+") if text.endswith("++") else (text, None)
    pieces = [piece.strip() for piece in head.split("+")] if head else []
    if any(not piece for piece in pieces):
        raise InvalidParams(f"{at}: {text!r} is no combination.", field=at)
    return [*pieces, *([key] if key is not None else [])]
