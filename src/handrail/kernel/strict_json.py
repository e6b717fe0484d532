"""The only JSON decoder for input from outside, so strict that all readers of a text see the same value.

It refuses what other decoders silently accept: duplicate keys, numbers that lose digits, lone surrogates, nesting that
overflows the stack, and so many values that they fill the memory.
"""

import json
import math
import re
from itertools import accumulate
from typing import Any, NoReturn

from handrail.ports.errors import InvalidParams

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 500_000
MAX_INTEGER = 2**53 - 1

_LONGEST_INTEGER = len(str(-MAX_INTEGER))
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{},"'))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1, ord(","): 0}


class NotJson(InvalidParams):
    """The text isn't JSON; `details` has `line` and `column`, both from 1."""


def decode(data: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """The value that every strict reader sees in `data`, or InvalidParams."""
    if len(data) > max_bytes:
        raise _too_long(max_bytes)
    raw, text = _both(data)
    if len(raw) > max_bytes:
        raise _too_long(max_bytes)
    # Counting is much cheaper than checking: most texts have too few brackets to be too deep.
    brackets = raw.count(b"[") + raw.count(b"{")
    if brackets > max_depth or brackets + raw.count(b",") > MAX_VALUES:
        _check_structure(raw, max_depth)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(
            f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            line=error.lineno,
            column=error.colno,
        ) from None
    except RecursionError:
        raise _too_deep(max_depth) from None
    if _SURROGATE_ESCAPE.search(raw):
        check(value, max_depth=max_depth)
    return value


def check(value: Any, *, max_depth: int = MAX_DEPTH) -> None:
    """The same checks for a value that another decoder has parsed, which has already dropped duplicate keys."""
    waiting = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if item is None or isinstance(item, bool):
            continue
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, int):
            if abs(item) > MAX_INTEGER:
                raise _imprecise(f"{item:e}" if abs(item) < 10**300 else "it")
        elif isinstance(item, float):
            if not math.isfinite(item):
                _refuse_constant(str(item))
        elif isinstance(item, dict | list | tuple):
            if depth > max_depth:
                raise _too_deep(max_depth)
            if isinstance(item, dict):
                for key in item:
                    if not isinstance(key, str):
                        raise InvalidParams("A JSON object has strings as keys, and nothing else.")
                    _check_text(key)
                item = item.values()
            waiting.extend((child, depth + 1) for child in item)
        else:
            raise InvalidParams(f"JSON has no such type: {type(item).__name__}.")


def _both(data: bytes | str) -> tuple[bytes, str]:
    try:
        return (data.encode(), data) if isinstance(data, str) else (bytes(data), data.decode())
    except UnicodeDecodeError as error:
        raise InvalidParams(f"The text is not UTF-8: {error.reason} at byte {error.start + 1}.") from None
    except UnicodeEncodeError:
        raise _lone_surrogate() from None


def _check_structure(raw: bytes, max_depth: int) -> None:
    """Checks the number of values and the depth, without recursion and before anything is parsed."""
    unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_STRUCTURE)
    most_quotes = 4 * MAX_VALUES  # each value may have a key, and each string has two quotes
    pieces = unescaped.split(b'"', most_quotes)
    structure = b"".join(pieces[:most_quotes:2])
    steps = map(_STEPS.__getitem__, structure[: 2 * MAX_VALUES])
    if any(depth > max_depth for depth in accumulate(steps)):
        raise _too_deep(max_depth)
    if len(pieces) > most_quotes or len(structure) - structure.count(b"]") - structure.count(b"}") > MAX_VALUES:
        raise InvalidParams(f"The text contains more than {MAX_VALUES} values.", max_values=MAX_VALUES)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidParams(f"The key {_shown(key)} appears twice in one object.")
            seen.add(key)
    return value


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER or not -MAX_INTEGER <= (number := int(digits)) <= MAX_INTEGER:
        raise _imprecise(digits if len(digits) <= 40 else digits[:40] + "…")
    return number


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InvalidParams(f"The number {_shown(digits)} is larger than any double.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidParams(f"JSON has no {name}: a number must be finite.")


def _check_text(text: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _lone_surrogate() from None


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 80 else text[:80] + "…")


def _too_long(max_bytes: int) -> InvalidParams:
    return InvalidParams(f"The text is longer than {max_bytes} bytes.", max_bytes=max_bytes)


def _too_deep(max_depth: int) -> InvalidParams:
    return InvalidParams(f"The text nests deeper than {max_depth} levels.", max_depth=max_depth)


def _imprecise(number: str) -> InvalidParams:
    return InvalidParams(
        f"The integer {number} is beyond ±(2^53-1), where readers of JSON disagree.",
        hint="Send it as a string.",
    )


def _lone_surrogate() -> InvalidParams:
    return InvalidParams("The text contains a lone surrogate, which isn't a character.")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_refuse_constant
)
