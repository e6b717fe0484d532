"""GNU diff as a child process; Python's difflib where it is missing, fails or takes too long.

The texts go over anonymous memory files, so nothing touches the disk and no path is opened.
"""

import difflib
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from handrail.contract.diffing import Hunk

_SECONDS = 20
_GROUP = "%de %dn %dE %dN\n"
_GROUPS = [
    "--unchanged-group-format=",
    f"--changed-group-format={_GROUP}",
    f"--old-group-format={_GROUP}",
    f"--new-group-format={_GROUP}",
]
_SAME, _DIFFERENT = 0, 1
_EXACT_BELOW = 1_000_000


class GnuDiff:
    def hunks(self, old: bytes, new: bytes) -> list[Hunk]:
        # Every line ends in LF, the last one too: what follows the last LF is a line of its own.
        old, new = old + b"\n", new + b"\n"
        exact = ["--minimal"] if len(old) + len(new) < _EXACT_BELOW else []
        printed = _run([*exact, *_GROUPS], old, new)
        if printed is None:
            return _difflib_hunks(old, new)
        return [_hunk(line) for line in printed.splitlines()]

    def unified(self, path: str, old: bytes | None, new: bytes | None) -> str:
        labels = ["/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}"]
        printed = _run(["-U3", "--label", labels[0], "--label", labels[1]], old or b"", new or b"")
        if printed is None:
            return _difflib_unified(old or b"", new or b"", labels)
        return printed.decode(errors="replace")


def _hunk(line: bytes) -> Hunk:
    before_old, len_old, before_new, len_new = map(int, line.split())
    return Hunk(before_old + 1, len_old, before_new + 1, len_new)


def _run(options: list[str], old: bytes, new: bytes) -> bytes | None:
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(_memory_file(text)) for text in (old, new)]
            done = subprocess.run(
                ["diff", "--text", *options, "--", *(f"/dev/fd/{file}" for file in files)],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                env={"LC_ALL": "C", "PATH": os.environ.get("PATH", os.defpath)},
            )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in (_SAME, _DIFFERENT) else None


@contextmanager
def _memory_file(content: bytes) -> Iterator[int]:
    file = os.memfd_create("handrail-diff")
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(file, view) :]
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)


def _difflib_hunks(old: bytes, new: bytes) -> list[Hunk]:
    matcher = difflib.SequenceMatcher(None, old.split(b"\n")[:-1], new.split(b"\n")[:-1], autojunk=False)
    return [
        Hunk(old_from + 1, old_to - old_from, new_from + 1, new_to - new_from)
        for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes()
        if tag != "equal"
    ]


def _difflib_unified(old: bytes, new: bytes, labels: list[str]) -> str:
    old_lines, new_lines = (text.decode(errors="replace").split("\n") for text in (old, new))
    return "\n".join(difflib.unified_diff(old_lines, new_lines, labels[0], labels[1], lineterm=""))
