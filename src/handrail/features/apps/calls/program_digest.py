"""Identifies the program that answers for an app by hashes of its files, so that a consent covers only that program."""

import os
import shutil
from collections.abc import Iterator, Sequence
from hashlib import file_digest, sha256
from pathlib import Path

_MAX_HASHES = 1000
_hashes: dict[tuple[str, int, int, int], str] = {}


def command_digest(command: Sequence[str], folder: str, search_path: str | None = None) -> str:
    """Covers the executable of a command line and every argument that is a file. Blocks."""
    program = shutil.which(command[0], path=search_path) or command[0]
    return _digest(os.path.join(folder, program), command[1:], folder)


def process_digest(pid: int) -> str:
    """Covers a running process, as the kernel reports it; empty if that is unknown. Blocks."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        folder = os.readlink(f"/proc/{pid}/cwd")
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return _digest(program, [os.fsdecode(word) for word in words[1:]], folder)


def _digest(program: str, arguments: Sequence[str], folder: str) -> str:
    digest = sha256()
    for part in (_file(program), *_parts(arguments, folder)):
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def _parts(arguments: Sequence[str], folder: str) -> Iterator[str]:
    for argument in arguments:
        yield argument
        file = os.path.join(folder, os.path.expanduser(argument))
        if not argument.startswith("-") and os.path.isfile(file):
            yield _file(file)


def _file(path: str) -> str:
    """The real path and the hash of the content; only the path if the file can't be read."""
    path = os.path.realpath(path)
    try:
        with open(path, "rb") as stream:
            now = os.fstat(stream.fileno())
            key = (path, now.st_ino, now.st_size, max(now.st_mtime_ns, now.st_ctime_ns))
            if key not in _hashes:
                if len(_hashes) >= _MAX_HASHES:
                    _hashes.clear()
                _hashes[key] = file_digest(stream, "sha256").hexdigest()
            return f"{path} {_hashes[key]}"
    except OSError:
        return path
