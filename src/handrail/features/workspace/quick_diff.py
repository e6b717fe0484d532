"""Line hunks without a child process, for many small differences: Myers' algorithm with a limit, then GNU diff."""

from collections.abc import Iterator
from itertools import pairwise

from handrail.features.workspace.line_diff import Hunk, hunks, label

_MOST_EDITS = 200
_CONTEXT = 3


def quick_hunks(old: bytes, new: bytes) -> list[Hunk]:
    """The runs of different lines, in order; a smallest set of them where few lines differ."""
    a, b = old.split(b"\n"), new.split(b"\n")
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        return [Hunk(start + 1, start + 1, a, b)] if a or b else []
    kept = _kept(a, b)
    if kept is None:
        return hunks(old, new)
    return [
        Hunk(start + x + 1, start + y + 1, a[x:to_x], b[y:to_y]) for (x, y), (to_x, to_y) in _gaps(kept, len(a), len(b))
    ]


def _kept(a: list[bytes], b: list[bytes]) -> list[tuple[int, int]] | None:
    """The places of the lines that stay, in both; None if too much differs."""
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


def _traced(rounds: list[list[int]], x: int, y: int) -> list[tuple[int, int]]:
    """Back from the end along the furthest reaches of each round."""
    kept: list[tuple[int, int]] = []
    for edits in range(len(rounds) - 1, -1, -1):
        before, middle, k = rounds[edits], edits + 1, x - y
        is_down = k == -edits or (k != edits and before[middle + k - 1] < before[middle + k + 1])
        last_k = k + 1 if is_down else k - 1
        last_x = before[middle + last_k] if edits else 0
        after_edit = last_x if is_down or not edits else last_x + 1
        while x > after_edit:
            x, y = x - 1, y - 1
            kept.append((x, y))
        x, y = last_x, last_x - last_k
    kept.reverse()
    return kept


def _gaps(kept: list[tuple[int, int]], n: int, m: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for (x, y), (to_x, to_y) in pairwise([(-1, -1), *kept, (n, m)]):
        if to_x > x + 1 or to_y > y + 1:
            yield (x + 1, y + 1), (to_x, to_y)


def quick_unified(path: str, old: bytes | None, new: bytes | None) -> str:
    """A unified diff with context; None: the file is absent on that side."""
    found = quick_hunks(old or b"", new or b"")
    names = ["/dev/null" if text is None else label(f"{side}/{path}") for side, text in (("a", old), ("b", new))]
    lines = [f"--- {names[0]}", f"+++ {names[1]}"]
    before = (old or b"").split(b"\n")
    if not before[-1]:
        before.pop()  # what follows the last LF isn't a line to people
    for group in _groups(found):
        lines += _printed(group, before)
    return "\n".join(lines) + "\n"


def _groups(found: list[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks whose context would touch are printed as one."""
    group: list[Hunk] = []
    for hunk in found:
        if group and hunk.start_old - group[-1].start_old - len(group[-1].lines_old) > 2 * _CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _printed(group: list[Hunk], before: list[bytes]) -> Iterator[str]:
    first, last = group[0], group[-1]
    top = max(0, first.start_old - 1 - _CONTEXT)
    after_last = last.start_old - 1 + len(last.lines_old)
    bottom = min(len(before), after_last + _CONTEXT)
    body: list[str] = []
    at = top
    for hunk in group:
        body += [" " + _text(line) for line in before[at : hunk.start_old - 1]]
        body += ["-" + _text(line) for line in hunk.lines_old] + ["+" + _text(line) for line in hunk.lines_new]
        at = hunk.start_old - 1 + len(hunk.lines_old)
    body += [" " + _text(line) for line in before[at:bottom]]
    new_top = first.start_new - (first.start_old - top)
    olds, news = (sum(line[0] != sign for line in body) for sign in "+-")
    yield f"@@ -{top + 1},{olds} +{new_top + 1},{news} @@"
    yield from body


def _text(line: bytes) -> str:
    return line.decode(errors="replace")
