"""Processes of this machine as /proc shows them, for questions about who is behind a terminal."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from handrail.stores.local.peers.linux import start_ticks

_PARENT, _SESSION, _TERMINAL = 1, 3, 4  # fields of proc(5), counted after the name, which may hold blanks


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    session: int
    terminal: int
    """The device of its controlling terminal; 0 where it has none."""
    started: int
    uid: int
    exe: str | None
    """Its program's file; None where the system doesn't tell, as for processes of other users."""
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of its program, without the folder."""
        return os.path.basename(self.exe or "").removesuffix(" (deleted)")


class Processes:
    """A look at /proc. Each process is read once, so that one answer is about one moment."""

    def __init__(self, folder: Path = Path("/proc")) -> None:
        self._folder = folder
        self._known: dict[int, Process | None] = {}

    def find(self, pid: int) -> Process | None:
        if pid not in self._known:
            self._known[pid] = self._read(pid)
        return self._known[pid]

    def all(self) -> Iterator[Process]:
        for name in os.listdir(self._folder):
            if name.isdigit() and (found := self.find(int(name))) is not None:
                yield found

    def ancestors(self, pid: int) -> list[Process] | None:
        """The process itself, its parent and so on up to the first of all; None where a link is missing."""
        found: list[Process] = []
        while pid != 0:
            process = self.find(pid)
            if process is None or process in found:
                return None
            found.append(process)
            pid = process.parent
        return found

    def masters_of(self, terminal: int, filesystem: int | None) -> list[Process]:
        """Processes that hold the other end of a pseudo-terminal, as far as they can be looked at.

        A container has a file system of terminals of its own, whose numbers begin anew: masters that are provably in
        another one than `filesystem` are of other terminals.
        """
        number = str(os.minor(terminal) + 256 * max(0, os.major(terminal) - 136))
        return [process for process in self.all() if self._holds_master(process.pid, number, filesystem)]

    def boot(self) -> str:
        """Names this run of the machine: start times count from its beginning."""
        try:
            return (self._folder / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return ""

    def group_of(self, pid: int) -> str | None:
        """Its control group. Children stay in it, also once left behind; the programs of a desktop have their own."""
        try:
            return (self._folder / str(pid) / "cgroup").read_text()
        except OSError:
            return None

    def lets_programs_type(self) -> bool:
        """Whether the kernel lets a program type into its own terminal (TIOCSTI): older ones always do."""
        try:
            return (self._folder / "sys/dev/tty/legacy_tiocsti").read_text().strip() != "0"
        except OSError:
            return True

    def name_if_roots(self, pid: int) -> str | None:
        """Of a process that root has started; None for any other, also for one that only has root's rights (setuid)."""
        try:
            told = dict(line.split(":", 1) for line in _lines(self._folder / str(pid) / "status") if ":" in line)
        except OSError:
            return None
        return told["Name"].strip() if told["Uid"].split()[0] == "0" else None

    def is_the_systems_own(self, process: Process) -> bool:
        """Its program's file is root's, and nobody else can write to it: an agent can't have made it."""
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
            with suppress(OSError):  # one that is closed meanwhile says nothing about the others
                if os.readlink(folder / "fd" / descriptor).endswith("/ptmx"):
                    told = dict(line.split(":", 1) for line in _lines(folder / "fdinfo" / descriptor))
                    if told.get("tty-index", "").strip() == number:
                        there = _terminals_at(folder / "mountinfo", told["mnt_id"].strip())
                        if None in (there, filesystem) or there == filesystem:
                            return True
        return False

    def _read(self, pid: int) -> Process | None:
        folder = self._folder / str(pid)
        try:
            told = (folder / "stat").read_bytes()
            fields = told.rpartition(b")")[2].split()
            uid = folder.stat().st_uid
            started = start_ticks(told)
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
    """The device of the file system of terminals that is mounted there; None if it is another one."""
    for words in (line.split() for line in _lines(mounts)):
        if words[0] == number and words[words.index("-") + 1] == "devpts":
            major, minor = map(int, words[2].split(":"))
            return os.makedev(major, minor)
    return None
