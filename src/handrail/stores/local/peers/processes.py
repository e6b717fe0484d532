"""Reads this machine's processes from /proc, to find out which ones are behind a terminal."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from handrail.stores.local.peers.linux import start_ticks

_PARENT, _SESSION, _TERMINAL = 1, 3, 4  # fields of proc(5), counted after the name, which may contain spaces


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    session: int
    terminal: int
    """The device of its controlling terminal; 0 if it has none."""
    started: int
    uid: int
    exe: str | None
    """Its program's file; None if unknown, as for processes of other users."""
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """The program's file name."""
        return os.path.basename(self.exe or "").removesuffix(" (deleted)")


class Processes:
    """A snapshot of /proc: each process is read only once."""

    def __init__(self, folder: Path = Path("/proc")) -> None:
        self._folder = folder
        self._cache: dict[int, Process | None] = {}

    def find(self, pid: int) -> Process | None:
        if pid not in self._cache:
            self._cache[pid] = self._read(pid)
        return self._cache[pid]

    def all(self) -> Iterator[Process]:
        for name in os.listdir(self._folder):
            if name.isdigit() and (process := self.find(int(name))) is not None:
                yield process

    def ancestors(self, pid: int) -> list[Process] | None:
        """The process, its parent and so on up to init; None if one of them can't be read."""
        ancestors: list[Process] = []
        while pid != 0:
            process = self.find(pid)
            if process is None or process in ancestors:
                return None
            ancestors.append(process)
            pid = process.parent
        return ancestors

    def masters_of(self, terminal: int, filesystem: int | None) -> list[Process]:
        """Processes that have the master end of a pseudo-terminal open, as far as they can be inspected.

        A container has its own devpts file system with its own numbers, so masters that are provably in another file
        system than `filesystem` belong to other terminals.
        """
        number = str(os.minor(terminal) + 256 * max(0, os.major(terminal) - 136))
        return [process for process in self.all() if self._holds_master(process.pid, number, filesystem)]

    def boot(self) -> str:
        """The boot id. Start times count from the boot."""
        try:
            return (self._folder / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return ""

    def group_of(self, pid: int) -> str | None:
        """The process's control group. Orphaned children stay in it; desktop programs have their own."""
        try:
            return (self._folder / str(pid) / "cgroup").read_text()
        except OSError:
            return None

    def root_program_name(self, pid: int) -> str | None:
        """The name of a process that root has started; None for others, also for setuid programs."""
        try:
            fields = dict(line.split(":", 1) for line in _lines(self._folder / str(pid) / "status") if ":" in line)
        except OSError:
            return None
        return fields["Name"].strip() if fields["Uid"].split()[0] == "0" else None

    def is_system_program(self, process: Process) -> bool:
        """Whether only root can write to its program's file, so that an agent can't have made it."""
        try:
            status = os.stat(self._folder / str(process.pid) / "exe")
        except OSError:
            return False
        return status.st_uid == 0 and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

    def _holds_master(self, pid: int, number: str, filesystem: int | None) -> bool:
        folder = self._folder / str(pid)
        try:
            descriptors = os.listdir(folder / "fd")
        except OSError:
            return False
        for descriptor in descriptors:
            with suppress(OSError):  # skips a descriptor that has just been closed
                if os.readlink(folder / "fd" / descriptor).endswith("/ptmx"):
                    fields = dict(line.split(":", 1) for line in _lines(folder / "fdinfo" / descriptor))
                    if fields.get("tty-index", "").strip() == number:
                        terminals = _terminals_at(folder / "mountinfo", fields["mnt_id"].strip())
                        if None in (terminals, filesystem) or terminals == filesystem:
                            return True
        return False

    def _read(self, pid: int) -> Process | None:
        folder = self._folder / str(pid)
        try:
            data = (folder / "stat").read_bytes()
            fields = data.rpartition(b")")[2].split()
            uid = folder.stat().st_uid
            started = start_ticks(data)
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
        except (OSError, ValueError, IndexError):
            return None
        try:
            exe = os.readlink(folder / "exe")
        except OSError:
            exe = None
        parent, session, terminal = (int(fields[at]) for at in (_PARENT, _SESSION, _TERMINAL))
        return Process(pid, parent, session, terminal, started, uid, exe, tuple(arguments))


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def _terminals_at(mounts: Path, number: str) -> int | None:
    """The device of the devpts file system that is mounted there; None if it is another kind."""
    for words in (line.split() for line in _lines(mounts)):
        if words[0] == number and words[words.index("-") + 1] == "devpts":
            major, minor = map(int, words[2].split(":"))
            return os.makedev(major, minor)
    return None
