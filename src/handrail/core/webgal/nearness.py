"""Which of the known names a wrong one was meant to be."""

import unicodedata
from collections.abc import Iterable

_FURTHEST = 2
MOST_GUESSES = 50
"""For how many wrong names of one scene the near ones are sought: a script for another engine must not take minutes."""


def folded(name: str) -> str:
    """What differs in case, blanks or width only is the same mistake."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def allowed_distance(name: str) -> int:
    """The shorter a name, the more others lie near it by chance."""
    return 0 if len(name) < 4 else 1 if len(name) < 7 else _FURTHEST


def distance(one: str, other: str, limit: int) -> int:
    """How many letters were missed, added, mistaken or swapped; more than `limit` is `limit + 1`."""
    if abs(len(one) - len(other)) > limit:
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


def nearest(name: str, known: Iterable[str], limit: int | None = None, count: int = 3) -> list[str]:
    """The nearest of the known names, best first; what differs in case alone comes before all others."""
    wanted = folded(name)
    reach = allowed_distance(wanted) if limit is None else limit
    letters = set(wanted)
    found = []
    for other in known:
        if abs(len(other) - len(name)) > reach + 2:
            continue
        plain = folded(other)
        # Each mistake changes the set of letters by two at most: cheaper than the distance by far.
        if plain != wanted and len(letters.symmetric_difference(plain)) > 2 * reach:
            continue
        away = distance(wanted, plain, reach)
        if away <= reach:
            found.append((away, other))
    return [other for _, other in sorted(found)[:count]]
