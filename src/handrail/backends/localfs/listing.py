"""What a held folder has in it, in names that can go over the wire."""

import os
from collections.abc import Collection, Iterator

from handrail.backends.localfs.temporary import is_temporary
from handrail.contract.files import Entry
from handrail.contract.paths import folded


def scan(fd: int) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every name; bytes that are no UTF-8 are escaped as lone surrogates, whatever the locale."""
    with os.scandir(fd) as found:
        for item in found:
            name = item.name
            yield name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape"), item


def listed(fd: int, closed: Collection[str]) -> list[Entry]:
    """The entries without the `closed` (folded) names, our temporary files and names that are no UTF-8."""
    return [
        Entry(name, item.is_dir(follow_symlinks=False), item.is_symlink())
        for name, item in scan(fd)
        if (key := folded(name)) not in closed and not is_temporary(key) and _is_text(name)
    ]


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)
