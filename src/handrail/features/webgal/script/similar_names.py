"""Finds the known name that a misspelled one was meant to be."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property

_MAX_DISTANCE = 2
_MOST_COMPARED = 200
_NUMBER = re.compile(r"[0-9]+")
_MAX_SEARCHES = 200
MOST_GUESSES = 50
"""How many wrong names per scene get suggestions, so that a script for another engine doesn't take minutes."""


def normalize(name: str) -> str:
    """Makes names equal that differ only in case, blanks or width."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def max_distance(name: str) -> int:
    """Shorter names have smaller limits, because more names are near them by chance."""
    return 0 if len(name) < 4 else 1 if len(name) < 7 else _MAX_DISTANCE


def distance(one: str, other: str, limit: int) -> int:
    """Returns the number of missing, extra, wrong or swapped letters; `limit + 1` if it is more than `limit`."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    one, other = _differing(one, other)
    if not one or not other:
        return max(len(one), len(other))
    if len(one) > _MOST_COMPARED:  # not a name, and comparing all letters would take minutes
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, left in enumerate(one, start=1):
        current = [row]
        for column, right in enumerate(other, start=1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (left != right))
            if row > 1 and column > 1 and left == other[column - 2] and one[row - 2] == right:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, last = last, current
    return min(last[-1], limit + 1)


def _differing(one: str, other: str) -> tuple[str, str]:
    """Removes the common beginning and end, which don't change the distance."""
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    return one[start : len(one) - end], other[start : len(other) - end]


def nearest(name: str, known: Iterable[str], limit: int | None = None, count: int = 3) -> list[str]:
    """Returns the nearest known names, best first; those that differ only in case come first."""
    return Names(known).nearest(name, limit, count)


class Names:
    """Known names, indexed at the first search."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names
        self._cache: dict[str, list[str]] = {}

    @cached_property
    def _by_length(self) -> dict[int, list[tuple[int, str, str]]]:
        by_length: dict[int, list[tuple[int, str, str]]] = {}
        for name in self._names:
            plain = normalize(name)
            by_length.setdefault(len(plain), []).append((_letters(plain), plain, name))
        return by_length

    def nearest(self, name: str, limit: int | None = None, count: int = 3) -> list[str]:
        plain_name = normalize(name)
        reach = max_distance(plain_name) if limit is None else limit
        letters = _letters(plain_name)
        matches = []
        for length in range(len(plain_name) - reach, len(plain_name) + reach + 1):
            for others, plain, other in self._by_length.get(length, ()):
                # Each mistake changes the set of letters by at most two; much cheaper than computing the distance.
                if (letters ^ others).bit_count() <= 2 * reach:
                    away = distance(plain_name, plain, reach)
                    if away <= reach:
                        matches.append((away, other))
        return [other for _, other in sorted(matches)[:count]]

    def nearest_cached(self, name: str) -> list[str]:
        """Like `nearest`, but only for the first few hundred names, because guessing is expensive."""
        if name not in self._cache and len(self._cache) < _MAX_SEARCHES:
            self._cache[name] = self.nearest(name)
        return self._cache.get(name, [])


def plausible_correction(name: str, near: Iterable[str]) -> str | None:
    """Returns the first near name that is a plausible correction: v1.wav and v2.wav are near, but both valid."""
    return next((other for other in near if not _is_numbered_alike(name, other)), None)


def _is_numbered_alike(one: str, other: str) -> bool:
    numbers, others = ([int(number) for number in _NUMBER.findall(name)] for name in (one, other))
    return numbers != others and _NUMBER.split(normalize(one)) == _NUMBER.split(normalize(other))


def _letters(plain: str) -> int:
    """Returns the letters as bits of a number, for a lower bound of the distance."""
    bits = 0
    for char in plain:
        bits |= 1 << (ord(char) & 63)
    return bits
