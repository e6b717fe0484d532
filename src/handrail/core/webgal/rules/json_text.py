"""JSON inside a line, judged as the engine's `JSON.parse` does."""

import json


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
