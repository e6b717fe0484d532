"""desktop.hotkey: presses keys together, and the names that keys have in the contract."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import DesktopPort, KeyCombination
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import RoutedParams, Wire
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
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
"""Keys that have names; all others are named by their character."""
_WHITESPACE_KEYS = "\n\r\t"
_BETWEEN_PAGES_MS = 150
"""The least delay in a browser, which needs a moment to report the page to which a combination has led."""


def parse_combinations(keys: Sequence[str], at: str = "params.keys") -> Sequence[KeyCombination]:
    """`["cmd", "v"]` is one combination, `["cmd+a", "cmd+c"]` are two. InvalidParams names the invalid item."""
    if any(len(key) > 1 and "+" in key for key in keys):
        return [_combination(_split_combination(key, at), f"{at}[{index}]") for index, key in enumerate(keys)]
    return [_combination(keys, at)]


def _combination(names: Sequence[str], field: str) -> KeyCombination:
    modifiers = [name for name in names if name.strip().lower() in MODIFIERS]
    others = [name for name in names if name.strip().lower() not in MODIFIERS]
    if len(others) > 1:
        raise InvalidParams(
            f"{field}: {', '.join(map(repr, others))} are several keys; only one may follow the modifiers.",
            hint='Send whole combinations in order: ["cmd+a", "cmd+c"].',
            field=field,
        )
    for name in others:
        _check_key(name, field)
    return KeyCombination(tuple(name.strip().lower() for name in modifiers), others[0] if others else None)


def _check_key(name: str, field: str) -> None:
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if plain in KEYS or (len(name) == 1 and (name.isprintable() or name in _WHITESPACE_KEYS)):
        return
    hint = "The keyboard itself handles the fn key, so no program can press it." if plain == "fn" else None
    raise InvalidParams(f"{field}: unknown key {name!r}.", hint=hint, field=field)


def _split_combination(text: str, at: str) -> list[str]:
    """Splits at `+`; `ctrl++` is Control and the plus key."""
    head, key = (text[:-2], "+") if text.endswith("++") else (text, None)
    names = [name.strip() for name in head.split("+")] if head else []
    if any(not name for name in names):
        raise InvalidParams(f"{at}: {text!r} isn't a combination.", field=at)
    return [*names, *([key] if key is not None else [])]


_Key = Annotated[str, Bound(min_length=1, max_length=60)]


class HotkeyOptions(Wire, frozen=True, kw_only=True):
    delay_ms: Annotated[int, Bound(ge=0, le=10_000)] = 50


class HotkeyParams(RoutedParams, frozen=True, kw_only=True):
    keys: Annotated[list[_Key], Bound(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


def _check_keys(params: HotkeyParams, at: str) -> None:
    parse_combinations(params.keys, f"{at}.keys")


async def _press(desktop: DesktopPort, execution: Execution, subject: Subject, params: HotkeyParams) -> None:
    combinations, delay_ms = parse_combinations(params.keys), params.options.delay_ms
    if len(combinations) > 1 and await desktop.page_addresses(subject.window) != ():
        delay_ms = max(delay_ms, _BETWEEN_PAGES_MS)
    await desktop.send_keys(subject.window, combinations, delay_ms=delay_ms)


METHOD = Action("desktop.hotkey", HotkeyParams, "sent", Services.window_subject, _press, check=_check_keys)
