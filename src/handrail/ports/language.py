"""The language that a person wants words in: `HANDRAIL_LANG`, or else the locale."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["zh", "en"]
_NAMES = ("HANDRAIL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def preferred_language(environ: Mapping[str, str]) -> Language | None:
    """By the first of them that is set; None where that names neither language, such as `C`."""
    named = next((value for name in _NAMES if (value := environ.get(name, "").strip())), "").lower()
    if named.startswith("zh"):
        return "zh"
    return "en" if named.startswith("en") else None
