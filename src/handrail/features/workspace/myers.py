"""Finds where two lists of lines differ with Myers' algorithm: the smallest set of changes, or None if many differ."""

from itertools import compress, count
from operator import ne

_MOST_EDITS = 100
"""With more edits, starting GNU diff is faster."""

Span = tuple[int, int]
Gap = tuple[Span, Span]
"""A span of old lines and the span of new lines that replaces it; counted from 0."""


def gaps(a: list[bytes], b: list[bytes]) -> list[Gap] | None:
    """Returns the differences in order, or None if too many lines differ."""
    shorter = min(len(a), len(b))
    start = next(compress(count(), map(ne, a, b)), shorter)
    end = min(next(compress(count(), map(ne, reversed(a), reversed(b))), shorter), shorter - start)
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        differences: list[Gap] | None = [((0, len(a)), (0, len(b)))] if a or b else []
    else:
        differences = _shortest_edits(a, b)
    if differences is None or not start:
        return differences
    return [((start + x, start + to_x), (start + y, start + to_y)) for (x, to_x), (y, to_y) in differences]


def _shortest_edits(a: list[bytes], b: list[bytes]) -> list[Gap] | None:
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
                return _trace_back(rounds, n, m)
    return None


def _trace_back(rounds: list[list[int]], x: int, y: int) -> list[Gap]:
    """Goes back from the end along the furthest reaches of each round: one edit each, followed by equal lines."""
    differences: list[Gap] = []
    gap_end: tuple[int, int] | None = None
    for edits in range(len(rounds) - 1, 0, -1):
        before, middle, k = rounds[edits], edits + 1, x - y
        is_down = k == -edits or (k != edits and before[middle + k - 1] < before[middle + k + 1])
        last_k = k + 1 if is_down else k - 1
        last_x = before[middle + last_k]
        edited_x = last_x if is_down else last_x + 1
        if gap_end is not None and x > edited_x:
            differences.append(((x, gap_end[0]), (y, gap_end[1])))
            gap_end = None
        gap_end = gap_end or (edited_x, edited_x - k)
        x, y = last_x, last_x - last_k
    if gap_end is not None:
        differences.append(((x, gap_end[0]), (y, gap_end[1])))
    differences.reverse()
    return differences
