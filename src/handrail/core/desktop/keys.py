"""`keys` of a hotkey: one combination key by key, or whole combinations one after the other. Pure."""

from collections.abc import Sequence

from handrail.contract.desktop import Combination
from handrail.contract.errors import InvalidParams

MODIFIERS = frozenset(["cmd", "command", "ctrl", "control", "alt", "option", "opt", "shift", "super", "meta", "win"])


def combinations(keys: Sequence[str]) -> Sequence[Combination]:
    """`["cmd", "v"]` is one; `["cmd+a", "cmd+c"]` are two. InvalidParams names the item that makes no sense."""
    if any(len(key) > 1 and "+" in key for key in keys):
        return [_combination(_pieces(key), f"params.keys[{at}]") for at, key in enumerate(keys)]
    return [_combination(keys, "params.keys")]


def _combination(names: Sequence[str], field: str) -> Combination:
    modifiers = [name for name in names if name.strip().lower() in MODIFIERS]
    others = [name for name in names if name.strip().lower() not in MODIFIERS]
    if len(others) > 1:
        raise InvalidParams(
            f"{field}: {', '.join(map(repr, others))} are several keys, and a combination has one beside modifiers.",
            hint='Send whole combinations in their order: ["cmd+a", "cmd+c"].',
            field=field,
        )
    return Combination(tuple(name.strip().lower() for name in modifiers), others[0] if others else None)


def _pieces(text: str) -> list[str]:
    """`ctrl++` is Control and the plus key."""
    head, key = (text[:-2], "+") if text.endswith("++") else (text, None)
    pieces = [piece.strip() for piece in head.split("+")] if head else []
    if any(not piece for piece in pieces):
        raise InvalidParams(f"params.keys: {text!r} is no combination.", field="params.keys")
    return [*pieces, *([key] if key is not None else [])]
