"""Announces terminals in which handrail asks people, so that their windows are never a target of desktop tools.

While a process shows questions, it holds a Unix socket whose name contains its pid, like `own_servers` for ports.
"""

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"handrail-view-(?P<uid>\d+)-(?P<pid>\d+)-\d+")
_NAMES = Path("/proc/net/unix")
_MULTIPLEXERS = ("tmux", "screen", "zellij", "dtach", "abduco")
_MOST_ANCESTORS = 64


def announce_view() -> socket.socket:
    """Until the socket is closed, other processes know that this process shows questions in its terminal."""
    announcement = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if sys.platform == "linux":
        with suppress(OSError):
            announcement.bind(f"\0handrail-view-{os.getuid()}-{os.getpid()}-{announcement.fileno()}")
    return announcement


def view_ancestries() -> list[list[int]]:
    """For each process that asks in a terminal: itself and its ancestors, the nearest first. Blocks for a moment.

    A terminal multiplexer's server doesn't run in a terminal, so the ancestors of all its clients are added.
    """
    chains = []
    for pid in _pids():
        chain = _ancestors(pid)
        chains.append(chain)
        if any(_name(each).startswith(_MULTIPLEXERS) for each in chain):
            chains += [_ancestors(client) for client in _processes() if _name(client).startswith(_MULTIPLEXERS)]
    return chains


def _pids() -> set[int]:
    try:
        names = _NAMES.read_text(errors="replace")
    except OSError:
        return set()
    return {int(one["pid"]) for one in _NAME.finditer(names) if int(one["uid"]) == os.getuid()}


def _processes() -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        yield int(folder.name)


def _ancestors(pid: int) -> list[int]:
    chain: list[int] = []
    while pid > 1 and len(chain) < _MOST_ANCESTORS:
        chain.append(pid)
        pid = _parent(pid)
    return chain


def _parent(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""
