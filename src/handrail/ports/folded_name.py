"""Names of files as the most forgiving file system might read them."""

import unicodedata
from functools import lru_cache
from urllib.parse import unquote


def decode_fully(part: str) -> str:
    """Percent-decoded until nothing changes, so that `%252e` is seen as well."""
    while "%" in part and (decoded := unquote(part, errors="replace")) != part:
        part = decoded
    return part


@lru_cache(maxsize=32768)
def fold_name(name: str) -> str:
    """The name as the most forgiving file system reads it: no case, no look-alikes, no trailing dots."""
    if name.isascii() and "%" not in name:
        visible = name
    else:
        decoded = unicodedata.normalize("NFKC", decode_fully(name))
        visible = "".join(char for char in decoded if unicodedata.category(char) != "Cf")
    return visible.casefold().split(":", 1)[0].rstrip(". ") or name
