"""Finds the ports of all handrail servers of this user, with any state directory.

While a server listens, it holds a Unix socket whose name contains its port. On Linux the name is in the abstract
namespace: it disappears with its process, can't be removed, and is in the same network namespace as the port.
"""

import asyncio
import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

_NAME = re.compile(r"handrail-server-(?P<uid>\d+)-(?P<port>\d+)")
_IS_ABSTRACT = sys.platform == "linux"
_NAMES = Path("/proc/net/unix")
_RECENT_SECONDS = 0.1


def _folder() -> Path:
    """Used where there is no abstract namespace."""
    return Path("/tmp") / f"handrail-{os.getuid()}"  # noqa: S108 - its owner is checked


@contextmanager
def announce_port(port: int) -> Iterator[None]:
    """While inside, every handrail process of this user knows that the port is handrail's own."""
    # Another program must not be able to take the name, or to end the mark of a server that takes over the port.
    name = f"handrail-server-{os.getuid()}-{port}-{secrets.token_hex(8)}"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as held:
        if _IS_ABSTRACT:
            held.bind(f"\0{name}")
            held.listen(1)
            yield
            return
        folder = _folder()
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        file = folder / name
        with suppress(OSError):
            held.bind(str(file))
            held.listen(1)
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def find_own_ports() -> frozenset[int]:
    """The ports of the running servers. Blocks for a moment."""
    if _IS_ABSTRACT:
        try:
            names = _NAMES.read_text(errors="replace")
        except OSError:
            return frozenset()
    else:
        folder = _folder()
        if not folder.is_dir() or folder.stat().st_uid != os.getuid():
            return frozenset()
        names = "\n".join(path.name for path in folder.iterdir() if _answers(path))
    return frozenset(int(one["port"]) for one in _NAME.finditer(names) if int(one["uid"]) == os.getuid())


class RecentPorts:
    """The ports as they were a moment ago, for callers that ask hundreds of times a second."""

    def __init__(self) -> None:
        self._lookup: asyncio.Future[frozenset[int]] | None = None
        self._started = 0.0

    async def find(self) -> frozenset[int]:
        now = asyncio.get_running_loop().time()
        if self._lookup is None or now - self._started >= _RECENT_SECONDS:
            self._started = now
            self._lookup = asyncio.ensure_future(asyncio.to_thread(find_own_ports))
        return await asyncio.shield(self._lookup)


def _answers(path: Path) -> bool:
    """Whether the server is alive: a killed one leaves its file."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as trying:
        try:
            trying.connect(str(path))
        except OSError:
            return False
        return True
