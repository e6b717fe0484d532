"""How apps and their tools may be called. An id is also a folder's name, so nothing path-like passes."""

import re
from collections.abc import Iterable

_APP_ID = re.compile(r"[a-z0-9]+(\.[a-z0-9]+)+")
_TOOL_NAME = re.compile(r"[a-z][a-z0-9_]{0,254}")
_TOOL_NAMES = re.compile(rf"{_TOOL_NAME.pattern}( {_TOOL_NAME.pattern})*")
_LONGEST_ID = 255
"""D-Bus takes no longer name, and most file systems no longer folder."""


def is_app_id(text: str) -> bool:
    return len(text) <= _LONGEST_ID and _APP_ID.fullmatch(text) is not None


def are_tool_names(texts: Iterable[str]) -> bool:
    """All at once, because a list asks about thousands."""
    return _TOOL_NAMES.fullmatch(" ".join(texts)) is not None


def is_tool_name(text: str) -> bool:
    return _TOOL_NAME.fullmatch(text) is not None
