"""Text as a person may safely read it: what would hide, reorder or move the cursor is spelled out."""

import re
import unicodedata

_SUSPECT = re.compile(r"[^\x20-\x7e\n]")
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"})


def visible(text: str) -> str:
    """Every control, format, separator, private or unassigned code point becomes `\\u{…}`; LF and TAB stay."""
    return _SUSPECT.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    char = match.group()
    if char == "\t" or unicodedata.category(char) not in _HIDDEN:
        return char
    return f"\\u{{{ord(char):x}}}"
