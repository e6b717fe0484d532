"""Where two lists of lines differ, by Myers' algorithm: a smallest set of changes, or None where many differ."""

from itertools import compress, count
from operator import ne

_MOST_EDITS = 100
"""Beyond this, starting GNU diff takes less time."""

Span = tuple[int, int]
Gap = tuple[Span, Span]
"""From where to where lines of the old text are replaced, and by which of the new one; counted from 0."""


def gaps(a: list[bytes], b: list[bytes]) -> list[Gap] | None:
    """In order; None if too much differs."""
    shorter = min(len(a), len(b))
    start = next(compress(count(), map(ne, a, b)), shorter)
    end = min(next(compress(count(), map(ne, reversed(a), reversed(b))), shorter), shorter - start)
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        found: list[Gap] | None = [((0, len(a)), (0, len(b)))] if a or b else []
    else:
        found = _found(a, b)
    if found is None or not start:
        return found
    return [((start + x, start + to_x), (start + y, start + to_y)) for (x, to_x), (y, to_y) in found]


def _found(a: list[bytes], b: list[bytes]) -> list[Gap] | None:
    n, m = len(a), len(b)
    most = min(n + m, _MOST_EDITS)
    furthest = [0] * (2 * most + 3)
    rounds: list[list[int]] = []
    for edits in range(most + 1):
        rounds.append(furthest[most - edits : most + edits + 3])
        for k in range(-edits, edits + 1, 2):
            at = most + 1 + k
            is_down = k == -edits or (k != edits and furthest[at - 1] < furthest[at + 1])
            x = furthest[at + 1] if is_down else furthest[at - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            furthest[at] = x
            if x >= n and y >= m:
                return _traced(rounds, n, m)
    return None


def _traced(rounds: list[list[int]], x: int, y: int) -> list[Gap]:
    """Back from the end along the furthest reaches of each round: one edit each, and lines that stay after it."""
    found: list[Gap] = []
    to: tuple[int, int] | None = None
    for edits in range(len(rounds) - 1, 0, -1):
        before, middle, k = rounds[edits], edits + 1, x - y
        is_down = k == -edits or (k != edits and before[middle + k - 1] < before[middle + k + 1])
        last_k = k + 1 if is_down else k - 1
        last_x = before[middle + last_k]
        edited_x = last_x if is_down else last_x + 1
        if to is not None and x > edited_x:
            found.append(((x, to[0]), (y, to[1])))
            to = None
        to = to or (edited_x, edited_x - k)
        x, y = last_x, last_x - last_k
    if to is not None:
        found.append(((x, to[0]), (y, to[1])))
    found.reverse()
    return found
