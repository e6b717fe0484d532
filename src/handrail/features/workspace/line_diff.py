"""The lines in which two texts differ, found by GNU diff, in the format of contract 3 §0.4."""

import difflib
import json
import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import compress, groupby
from operator import ne

import msgspec


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of different lines, counted from 1, without context. Lines are what is between LFs."""

    start_old: int
    start_new: int
    lines_old: list[bytes]
    lines_new: list[bytes]


_HEADING = re.compile(rb"(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?")
_SAME, _DIFFERENT = 0, 1
# The smallest set of changes costs quadratic time on texts that have little in common.
_EXACT_BELOW_BYTES = 1_000_000
_EXACT_SECONDS = 1.0
_SECONDS = 15.0
_DIFFLIB_BELOW_LINES = 2_000
_CHUNK = 1 << 20


def hunks(old: bytes, new: bytes) -> list[Hunk]:
    """The runs of different lines, in order."""
    printed = None
    if len(old) + len(new) < _EXACT_BELOW_BYTES:
        printed = _run(["--minimal"], old, new, _EXACT_SECONDS, last=b"\n")
    if printed is None:
        printed = _run([], old, new, _SECONDS, last=b"\n")
    if printed is None:
        return _hunks_without_diff(old.split(b"\n"), new.split(b"\n"))
    return list(_read_hunks(printed.split(b"\n")))


def unified(path: str, old: bytes | None, new: bytes | None) -> str:
    """The same for people and for `patch`, with context; None: the file is absent on that side."""
    labels = ["/dev/null" if text is None else label(f"{side}/{path}") for side, text in (("a", old), ("b", new))]
    options = ["--unified", "--label", labels[0], "--label", labels[1]]
    printed = _run(options, old or b"", new or b"", _SECONDS)
    if printed is not None:
        return printed.decode(errors="replace")
    old_lines, new_lines = ((text or b"").decode(errors="replace").split("\n") for text in (old, new))
    return "\n".join(difflib.unified_diff(old_lines, new_lines, labels[0], labels[1], lineterm=""))


def label(path: str) -> str:
    """As git writes it: in quotation marks where it has more than printable characters, so that it stays one line."""
    return path if path.isprintable() else json.dumps(path)


def _read_hunks(lines: list[bytes]) -> Iterator[Hunk]:
    """Parses diff's normal format: a heading such as `2,3c2`, `< ` old lines, `---`, `> ` new lines."""
    at = 0
    while heading := _HEADING.fullmatch(lines[at]):
        old_first, old_last, kind, new_first, new_last = heading.groups()
        start_old, len_old = _run_of_lines(old_first, old_last, is_empty=kind == b"a")
        start_new, len_new = _run_of_lines(new_first, new_last, is_empty=kind == b"d")
        middle = at + 1 + len_old
        after = middle + (kind == b"c")
        at = after + len_new
        yield Hunk(
            start_old,
            start_new,
            [line[2:] for line in lines[middle - len_old : middle]],
            [line[2:] for line in lines[after:at]],
        )


def _run_of_lines(first: bytes, last: bytes | None, *, is_empty: bool) -> tuple[int, int]:
    """Start and length. An empty run is named by the line before it."""
    start = int(first)
    return (start + 1, 0) if is_empty else (start, int(last or first) - start + 1)


def _run(options: list[str], old: bytes, new: bytes, seconds: float, last: bytes = b"") -> bytes | None:
    """The output of diff, with anonymous files as its input; None if it failed, could not start or was too slow.

    With an LF as `last`, what follows a text's last LF is a line of its own.
    """
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(_anonymous_file(text, last)) for text in (old, new)]
            process = subprocess.Popen(
                ["diff", "--text", *options, "--", *(f"/dev/fd/{file}" for file in files)],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
            )
    except OSError:
        return None
    with process:
        printed = _output(process, seconds)
    return printed if process.returncode in (_SAME, _DIFFERENT) else None


def _output(process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    """Reads the child's output and kills it when its time is over.

    Popen's own timeouts poll for the child's end, which is slower.
    """
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    deadline = time.monotonic() + seconds
    chunks: list[bytes] = []
    while waiting.poll(max(0, deadline - time.monotonic()) * 1000):
        chunk = os.read(pipe, _CHUNK)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
    process.kill()
    return b""


@contextmanager
def _anonymous_file(content: bytes, last: bytes) -> Iterator[int]:
    """In memory on Linux, an unlinked file elsewhere."""
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            file.write(content + last)
            file.seek(0)
            yield file.fileno()
        return
    with open(os.memfd_create("handrail-diff"), "wb") as file:
        file.write(content)
        file.write(last)
        file.seek(0)
        yield file.fileno()


def _hunks_without_diff(old: list[bytes], new: list[bytes]) -> list[Hunk]:
    """Uses difflib for short texts.

    For long ones it would take too long: everything between the first and the last difference is one hunk.
    """
    if len(old) + len(new) < _DIFFLIB_BELOW_LINES:
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return [
            Hunk(old_from + 1, new_from + 1, old[old_from:old_to], new[new_from:new_to])
            for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes()
            if tag != "equal"
        ]
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    return [Hunk(start + 1, start + 1, old[start : len(old) - end], new[start : len(new) - end])]


class HunkLines(msgspec.Struct, frozen=True, rename="camel"):
    start_old: int
    len_old: int
    start_new: int
    len_new: int
    lines_old: list[str]
    lines_new: list[str]


class LineDiff(msgspec.Struct, frozen=True):
    hunks: list[HunkLines]
    type: str = "line"

    @property
    def changed_lines(self) -> int:
        return sum(max(hunk.len_old, hunk.len_new) for hunk in self.hunks)


def diff(old: bytes, new: bytes) -> LineDiff:
    """For UTF-8 texts; line endings and a missing last newline are content."""
    if old == new:
        return LineDiff([])
    found = None
    if old.count(b"\n") == new.count(b"\n"):
        found = _replaced_in_place(old.split(b"\n"), new.split(b"\n"))
    return LineDiff([_shown(hunk) for hunk in (hunks(old, new) if found is None else found)])


def _replaced_in_place(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """The hunks if lines were replaced one for one, otherwise None.

    If no replaced line is among the new ones, no diff can keep more lines: each line occurs among the kept ones as
    often as in both texts.
    """
    places = list(compress(range(len(old)), map(ne, old, new)))
    if not {old[at] for at in places}.isdisjoint(new[at] for at in places):
        return None
    # Neighbours have the same distance from their rank.
    runs = ([at for _, at in run] for _, run in groupby(enumerate(places), lambda ranked: ranked[1] - ranked[0]))
    return [Hunk(run[0] + 1, run[0] + 1, old[run[0] : run[-1] + 1], new[run[0] : run[-1] + 1]) for run in runs]


def _shown(hunk: Hunk) -> HunkLines:
    return HunkLines(
        start_old=hunk.start_old,
        len_old=len(hunk.lines_old),
        start_new=hunk.start_new,
        len_new=len(hunk.lines_new),
        lines_old=[line.decode() for line in hunk.lines_old],
        lines_new=[line.decode() for line in hunk.lines_new],
    )
