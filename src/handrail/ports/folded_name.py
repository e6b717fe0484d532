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
    """The name without case, look-alikes and trailing dots. After a colon, NTFS has the name of a stream."""
    return _fold(name).split(":", 1)[0].rstrip(". ") or name


@lru_cache(maxsize=32768)
def fold_parts(name: str) -> tuple[str, ...]:
    """The same for each part between colons, because most file systems have no streams: `host:8443.key` is a key."""
    return tuple(part.rstrip(". ") for part in _fold(name).split(":"))


def _fold(name: str) -> str:
    if name.isascii() and "%" not in name:
        return name.casefold()
    decoded = unicodedata.normalize("NFKC", decode_fully(name))
    return "".join(char for char in decoded if unicodedata.category(char) != "Cf").casefold()
