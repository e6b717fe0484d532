"""JSON inside a line, judged as the engine's `JSON.parse` does, and mended where only one thing can be meant."""

import json
import re

_WIDE = str.maketrans("｛｝［］：，“”", '{}[]:,""')
_BARE_KEY = re.compile(r"(?<=[{,])\s*([A-Za-z_]\w*)\s*(?=:)")
_HALF_KEY = re.compile(r'(?<=[{,])\s*(?:"(\w+)\s*(?=:[\d{["-])|(\w+)"\s*(?=:))')
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
# One that never ends goes to the end of the text: it is not looked for again from each quote in it.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?')
_PAIRS = {"{": "}", "[": "]"}


def _refuse(name: str) -> float:
    raise ValueError(name)


def fault(text: str) -> str | None:
    """What is wrong with it, or None."""
    try:
        json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return f"{error.msg} ({error.pos + 1})"
    except (ValueError, RecursionError) as error:
        return str(error)
    return None


def repaired(text: str) -> str | None:
    """With wide signs, other quotes, names without quotes, commas too many and brackets too few put right."""
    better = text.translate(_WIDE)
    if '"' not in better:
        better = better.replace("'", '"')
    for bare in (better, _HALF_KEY.sub(lambda found: f'"{found[1] or found[2]}"', better)):
        mended = _closed(_TRAILING_COMMA.sub("", _BARE_KEY.sub(r'"\1"', bare)))
        if mended != text and fault(mended) is None:
            return mended
    return None


def _closed(text: str) -> str:
    missing: list[str] = []
    for char in _STRING.sub("", text):
        if char in _PAIRS:
            missing.append(_PAIRS[char])
        elif missing and char == missing[-1]:
            missing.pop()
    return text + "".join(reversed(missing))
