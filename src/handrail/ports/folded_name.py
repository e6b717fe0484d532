"""File names as the most lenient file system might read them."""

import unicodedata
from functools import lru_cache
from urllib.parse import unquote


def decode_fully(part: str) -> str:
    """Percent-decodes repeatedly, so that `%252e` is decoded too."""
    while "%" in part and (decoded := unquote(part, errors="replace")) != part:
        part = decoded
    return part


@lru_cache(maxsize=32768)
def fold_name(name: str) -> str:
    """The name without case, look-alikes and trailing dots."""
    if name.isascii() and "%" not in name:
        visible = name
    else:
        decoded = unicodedata.normalize("NFKC", decode_fully(name))
        visible = "".join(char for char in decoded if unicodedata.category(char) != "Cf")
    return visible.casefold().split(":", 1)[0].rstrip(". ") or name
