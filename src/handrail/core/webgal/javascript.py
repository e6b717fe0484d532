"""What JavaScript makes of text where Python would make something else: blanks and numbers."""

import math
import re

BLANKS = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What `trim()` takes away. Python's own set lacks the BOM and has four control characters more."""

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SAFE_INTEGER = 1 << 53
_BASES = {"0x": (16, re.compile(r"[0-9a-fA-F]+")), "0o": (8, re.compile(r"[0-7]+")), "0b": (2, re.compile(r"[01]+"))}
_INFINITE = {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def number(text: str) -> int | float | None:
    """`Number(text)`, or None where that is NaN. What is whole comes as an int."""
    text = text.strip(BLANKS)
    if not text:
        return 0
    if _DECIMAL.fullmatch(text):
        return _whole(float(text))
    if text in _INFINITE:
        return _INFINITE[text]
    base = _BASES.get(text[:2].lower())
    if base is None or not base[1].fullmatch(text, 2):
        return None
    try:
        return _whole(float(int(text[2:], base[0])))
    except OverflowError:
        return math.inf


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) <= _SAFE_INTEGER else value
