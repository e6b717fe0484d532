"""Removes evidence that is too old or too large: whole days, the oldest first, never today's."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from handrail.ports.errors import NotFound
from handrail.ports.files import EvidenceFolder

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Limits:
    max_age: timedelta
    max_bytes: int


def prune(folder: EvidenceFolder, parents: Iterable[str], limits: Limits, now: datetime) -> list[str]:
    """Removes days from all of these folders until the rest is within the limits; returns the removed paths."""
    oldest, today = f"{now - limits.max_age:%Y-%m-%d}", f"{now:%Y-%m-%d}"
    total = 0
    removed = []
    for day, path in sorted(_days(folder, parents), reverse=True):
        total += folder.total_size(path)
        if day != today and (day < oldest or total > limits.max_bytes):
            folder.remove_tree(path)
            removed.append(path)
    return removed


def folders_in(folder: EvidenceFolder, path: str) -> list[str]:
    """Names of the folders in a folder; empty if it doesn't exist."""
    try:
        return [entry.name for entry in folder.entries(path) if entry.is_folder]
    except NotFound:
        return []


def _days(folder: EvidenceFolder, parents: Iterable[str]) -> Iterator[tuple[str, str]]:
    for parent in parents:
        for name in folders_in(folder, parent):
            if _DAY.fullmatch(name):
                yield name, f"{parent}/{name}"
