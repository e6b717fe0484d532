"""AT-SPI's states by name. They come as two words of bits."""

from collections.abc import Sequence
from functools import lru_cache

_NAMES = (
    "invalid",
    "active",
    "armed",
    "busy",
    "checked",
    "collapsed",
    "defunct",
    "editable",
    "enabled",
    "expandable",
    "expanded",
    "focusable",
    "focused",
    "has-tooltip",
    "horizontal",
    "iconified",
    "modal",
    "multi-line",
    "multiselectable",
    "opaque",
    "pressed",
    "resizable",
    "selectable",
    "selected",
    "sensitive",
    "showing",
    "single-line",
    "stale",
    "transient",
    "vertical",
    "visible",
    "manages-descendants",
    "indeterminate",
    "required",
    "truncated",
    "animated",
    "invalid-entry",
    "supports-autocompletion",
    "selectable-text",
    "is-default",
    "visited",
    "checkable",
    "has-popup",
    "read-only",
)


def named(words: Sequence[int]) -> frozenset[str]:
    return _named(*words) if len(words) == 2 else frozenset()


@lru_cache(maxsize=1024)
def _named(low: int, high: int) -> frozenset[str]:
    bits = (high << 32) | low
    found = {name for bit, name in enumerate(_NAMES) if bits >> bit & 1}
    # GTK 4 tells only one of the two, and everybody means the same by them.
    return frozenset(found | {"enabled"} if "sensitive" in found else found)
