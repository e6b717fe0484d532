"""Detects programs that would end, stop or inspect one of handrail's own processes."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

_ENDS_PROCESSES = frozenset(
    {
        "kill",
        "pkill",
        "killall",
        "pgrep",
        "pidof",
        "systemctl",
        "launchctl",
        "service",
        "skill",
        "gdb",
        "strace",
        "fuser",
    }
)
_BY_PATTERN = frozenset({"pkill", "pgrep"})
_BY_NAME = frozenset({"killall", "pidof"})


def ends_handrail(name: str, texts: Sequence[str], pids: frozenset[int], ports: frozenset[int]) -> bool:
    """`texts` are all words of the program `name`."""
    if name not in _ENDS_PROCESSES:
        return False
    words = texts[1:]
    if name == "kill" and "-1" in texts[2:]:
        return True
    if any("handrail" in word.lower() or _number(word.lstrip("-%")) in pids for word in words):
        return True
    if any(_number(word.partition("/")[0]) in ports for word in words):
        return True
    names = [word for word in words if not word.startswith("-")]
    if name in _BY_NAME:
        return any(word == own for word in names for own in _names_of(pids))
    return name in _BY_PATTERN and any(_matches(word, own) for word in names for own in _command_lines_of(pids))


def kills_in_text(text: str, pids: Iterable[int]) -> bool:
    """Finds calls such as `os.kill(4242, 9)` in other languages."""
    return any(re.search(rf"\bkill\w*\b[^\n;]{{0,40}}(?<![0-9]){pid}(?![0-9])", text) for pid in pids)


def inspects_process(pattern: str, pids: Iterable[int]) -> bool:
    """Whether a path, or a pattern, is in the /proc folder of one of handrail's processes."""
    parts = os.path.normpath(pattern).split("/")
    return parts[:2] == ["", "proc"] and len(parts) > 2 and any(fnmatchcase(str(pid), parts[2]) for pid in pids)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _matches(pattern: str, line: str) -> bool:
    try:
        return len(pattern) <= 200 and re.search(pattern, line) is not None
    except re.error:
        return True


def _names_of(pids: Iterable[int]) -> Iterator[str]:
    yield "handrail"
    for pid in pids:
        yield from _read(f"/proc/{pid}/comm")


def _command_lines_of(pids: Iterable[int]) -> Iterator[str]:
    """Yields what `pkill` compares: the name, and with `-f` the whole command line."""
    yield from _names_of(pids)
    for pid in pids:
        yield from _read(f"/proc/{pid}/cmdline")


def _read(path: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            yield file.read().replace("\0", " ").strip()
    except OSError:
        return
