"""Makes a unified diff of two texts, with context, for people and for `patch`."""

import json
import re
from collections.abc import Iterator

from handrail.features.workspace.gnu_diff import gnu_diff
from handrail.features.workspace.myers import Gap, gaps

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_CONTEXT = 3
_SECONDS = 15.0


def unified(path: str, old: bytes | None, new: bytes | None) -> str:
    """Returns the diff, empty if both are the same. None means that the file is absent on that side."""
    if (old or b"") == (new or b""):
        return ""
    labels = [
        "/dev/null" if text is None else quoted_label(f"{side}/{path}") for side, text in (("a", old), ("b", new))
    ]
    a, b = (_LINE.findall(text or b"") for text in (old, new))
    changes = gaps(a, b)
    if changes is None:
        options = ["--unified", "--label", labels[0], "--label", labels[1]]
        if output := gnu_diff(options, old or b"", new or b"", _SECONDS):
            return output.decode(errors="replace")
        changes = [((0, len(a)), (0, len(b)))]
    heading = f"--- {labels[0]}\n+++ {labels[1]}\n"
    return heading + "".join(part for group in _groups(changes) for part in _format_group(group, a, b))


def quoted_label(path: str) -> str:
    """Quotes a path as git does if it has unprintable characters, so that it stays on one line."""
    return path if path.isprintable() else json.dumps(path)


def _groups(changes: list[Gap]) -> Iterator[list[Gap]]:
    """Puts changes whose context would touch into one group."""
    group: list[Gap] = []
    for gap in changes:
        if group and gap[0][0] - group[-1][0][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(gap)
    yield group


def _format_group(group: list[Gap], a: list[bytes], b: list[bytes]) -> Iterator[str]:
    (start, _), (new_start, _) = group[0]
    (_, end), (_, new_end) = group[-1]
    before = min(_CONTEXT, start)
    after = min(_CONTEXT, len(a) - end)
    old_lines = _range(start - before, end + after)
    yield f"@@ -{old_lines} +{_range(new_start - before, new_end + after)} @@\n"
    at = start - before
    for (from_old, to_old), (from_new, to_new) in group:
        yield from (_format_line(" ", line) for line in a[at:from_old])
        yield from (_format_line("-", line) for line in a[from_old:to_old])
        yield from (_format_line("+", line) for line in b[from_new:to_new])
        at = to_old
    yield from (_format_line(" ", line) for line in a[at : end + after])


def _range(start: int, end: int) -> str:
    """An empty range is named by the line before it."""
    if end == start + 1:
        return f"{end}"
    return f"{start + (end > start)},{end - start}"


def _format_line(sign: str, line: bytes) -> str:
    text = line.decode(errors="replace")
    return f"{sign}{text}" if line.endswith(b"\n") else f"{sign}{text}\n\\ No newline at end of file\n"
