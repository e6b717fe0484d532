"""Makes text safe to show: escapes characters that are invisible, reorder text or move the cursor."""

import json
import re
import unicodedata

_SUSPECT = re.compile(r"[^\x20-\x7e\n]")
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"})
_IDEOGRAPHIC_SPACE = "\u3000"

# Default_Ignorable_Code_Point of Unicode 17 (DerivedCoreProperties.txt), which Python's unicodedata doesn't have.
# Printed by Node: /\p{Default_Ignorable_Code_Point}/u.
_IGNORABLE = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
# Assigned, and drawn as nothing: the empty Braille pattern, a musical note without a head, a Khitan filler.
_EMPTY = frozenset({0x2800, 0x1D159, 0x16FE4})


def visible(text: str) -> str:
    """Invisible code points and unusual blanks become `\\u{…}`; LF, TAB and U+3000 stay."""
    return _SUSPECT.sub(_spelled, text)


def one_line(text: object) -> str:
    """The same for a single line: line breaks are escaped too."""
    return visible(str(text)).replace("\n", "\\n").replace("\t", "\\t").replace(_IDEOGRAPHIC_SPACE, "\\u{3000}")


def quoted_line(text: object) -> str:
    """One line in quotation marks, so that its beginning and end are visible."""
    return one_line(json.dumps(str(text), ensure_ascii=False))


def visible_json(text: str) -> str:
    """The same for a JSON text, which stays the same value: its strings get JSON's own escapes."""
    return _SUSPECT.sub(lambda match: json.dumps(match[0])[1:-1] if _is_hidden(match[0]) else match[0], text)


def _spelled(match: re.Match[str]) -> str:
    char = match.group()
    return f"\\u{{{ord(char):x}}}" if _is_hidden(char) else char


def _is_hidden(char: str) -> bool:
    if char in ("\t", _IDEOGRAPHIC_SPACE):
        return False
    category, code = unicodedata.category(char), ord(char)
    if category in _HIDDEN or category == "Zs" or code in _EMPTY:
        return True
    return any(first <= code <= last for first, last in _IGNORABLE)
