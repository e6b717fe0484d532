"""Witnesses, which get a copy of every checkpoint: a folder, a git repository or a web address.

Each checkpoint is one line of `<id>.jsonl`, where `<id>` is the record's, so one witness serves many.
"""

import errno
import os
import subprocess
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from handrail.ports.atomic_file import sync_folder
from handrail.ports.errors import InputOutput
from handrail.ports.record import Witness
from handrail.stores.local.private_file import os_failure, read_plain

_PATIENCE = 30
_LARGEST = 1 << 28


def open_witness(setting: str, record: str) -> Witness | None:
    """`setting` is the value in config.toml: a web address, `git:FOLDER`, a folder, or empty."""
    if not setting:
        return None
    if setting.startswith(("https://", "http://")):
        return UrlWitness(setting, record)
    if setting.startswith("git:"):
        return GitWitness(Path(setting.removeprefix("git:")).expanduser(), record)
    return FolderWitness(Path(setting).expanduser(), record)


class FolderWitness:
    """A folder, preferably on another machine, or one to which this account may only append."""

    def __init__(self, folder: Path, record: str) -> None:
        self.name = str(folder)
        self._folder = folder
        self._file = folder / f"{record}.jsonl"
        self._mark = f'"record":"{record}"'.encode()

    def add(self, line: bytes) -> None:
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                data = b"\n" * is_torn + line + b"\n"
                if os.write(descriptor, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            sync_folder(self._folder)
        except OSError as error:
            raise os_failure(self._file, error) from error

    def lines(self) -> Sequence[bytes]:
        if not self._folder.is_dir():
            raise InputOutput(f"{self._folder} is not there.")
        try:
            return read_plain(self._file).splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise os_failure(self._file, error) from error


class GitWitness(FolderWitness):
    """A git repository in which every checkpoint is a commit; a hook of the repository may push it.

    The message of the commit has the checkpoint as well, so a file that was rolled back, also in a commit of its own,
    hides nothing that the repository's branches, remotes or reflogs know.
    """

    def add(self, line: bytes) -> None:
        if line not in super().lines():
            super().add(line)
        self._git("add", "--", self._file.name)
        message = b"Add a checkpoint\n\n" + line + b"\n"  # may be too long for an argument
        self._git("commit", "-q", "--file=-", "--cleanup=verbatim", "--", self._file.name, given=message)

    def lines(self) -> Sequence[bytes]:
        committed = self._git("cat-file", "--batch", given=f"HEAD:{self._file.name}\n".encode())
        ours = ("--fixed-strings", f"--grep={self._mark.decode()}")
        messages = self._git("log", "--all", "--reflog", "--format=%B", *ours)
        found = (*committed.splitlines(), *messages.splitlines())
        return list(dict.fromkeys(line for line in found if self._mark in line and line.startswith(b"{")))

    def _git(self, *words: str, given: bytes = b"") -> bytes:
        identity = ("-c", "user.name=handrail", "-c", "user.email=handrail@localhost")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            return subprocess.run(
                ["git", "-C", str(self._folder), *identity, *words],
                input=given,
                env=environment,
                capture_output=True,
                timeout=_PATIENCE,
                check=True,
            ).stdout
        except subprocess.CalledProcessError as error:
            why = error.stderr.decode(errors="replace").strip().partition("\n")[0]
            raise InputOutput(f"git in {self._folder}: {why or f'exit status {error.returncode}'}.") from None
        except (OSError, subprocess.SubprocessError) as error:
            raise InputOutput(f"git in {self._folder}: {error}.") from error


class UrlWitness:
    """`POST <address>/<id>` takes a line, `GET` gives all of them."""

    def __init__(self, address: str, record: str) -> None:
        self.name = address
        self._address = f"{address.rstrip('/')}/{record}"

    def add(self, line: bytes) -> None:
        self._ask(line)

    def lines(self) -> Sequence[bytes]:
        return self._ask(None).splitlines()

    def _ask(self, body: bytes | None) -> bytes:
        headers = {"content-type": "application/json"} if body is not None else {}
        request = urllib.request.Request(self._address, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
                return bytes(answer.read(_LARGEST))
        except OSError as error:
            if getattr(error, "code", None) == 404 and body is None:
                return b""
            raise InputOutput(f"{self._address}: {error}.") from error
