"""The person's language: from `HANDRAIL_LANG`, otherwise from the locale."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["zh", "en"]
_NAMES = ("HANDRAIL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def preferred_language(environ: Mapping[str, str]) -> Language | None:
    """The language of the first variable that is set; None if it names neither language, such as `C`."""
    locale = next((value for name in _NAMES if (value := environ.get(name, "").strip())), "").lower()
    if locale.startswith("zh"):
        return "zh"
    return "en" if locale.startswith("en") else None
