"""Which program answers for an app: the hash of its files, so that a yes to one program is none to another."""

import os
import shutil
from collections.abc import Iterator, Sequence
from hashlib import file_digest, sha256
from pathlib import Path

_MOST_KEPT = 1000
_known: dict[tuple[str, int, int, int], str] = {}


def of_command(command: Sequence[str], folder: str, search_path: str | None = None) -> str:
    """Of a command line: its executable, and every argument that is a file. Blocks."""
    program = shutil.which(command[0], path=search_path) or command[0]
    return _digest(os.path.join(folder, program), command[1:], folder)


def of_process(pid: int) -> str:
    """Of a running process, by what the kernel knows of it; empty where it can't be told. Blocks."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        folder = os.readlink(f"/proc/{pid}/cwd")
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return _digest(program, [os.fsdecode(word) for word in words[1:]], folder)


def _digest(program: str, arguments: Sequence[str], folder: str) -> str:
    taken = sha256()
    for part in (_file(program), *_parts(arguments, folder)):
        taken.update(part.encode(errors="surrogateescape") + b"\0")
    return taken.hexdigest()


def _parts(arguments: Sequence[str], folder: str) -> Iterator[str]:
    for argument in arguments:
        yield argument
        file = os.path.join(folder, os.path.expanduser(argument))
        if not argument.startswith("-") and os.path.isfile(file):
            yield _file(file)


def _file(path: str) -> str:
    """Its real place and the hash of its content; a file that can't be read counts by its place alone."""
    path = os.path.realpath(path)
    try:
        with open(path, "rb") as opened:
            now = os.fstat(opened.fileno())
            key = (path, now.st_ino, now.st_size, max(now.st_mtime_ns, now.st_ctime_ns))
            if key not in _known:
                if len(_known) >= _MOST_KEPT:
                    _known.clear()
                _known[key] = file_digest(opened, "sha256").hexdigest()
            return f"{path} {_known[key]}"
    except OSError:
        return path
