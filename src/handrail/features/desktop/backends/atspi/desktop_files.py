"""The installed apps' desktop files: under which id an app is known to the session."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 256 * 1024


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    names: tuple[str, str, str]
    """The surest first: the class of its windows, the id, and the id's last part."""
    program: str


class DesktopFiles:
    def __init__(self, environment: Mapping[str, str]) -> None:
        home = environment.get("XDG_DATA_HOME") or os.path.join(environment.get("HOME", "/"), ".local/share")
        shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
        self._folders = [Path(place, "applications") for place in (home, *shared.split(":")) if place]
        self._read_at: tuple[int, ...] = ()
        self._entries: list[_Entry] = []

    def id_of(self, names: Iterable[str], program: str) -> str | None:
        """The id of the app that has one of these names, or else is the only one that starts this program."""
        entries = self._current()
        wanted = {name.casefold() for name in names if name}
        for rank in range(3):
            if found := next((entry.id for entry in entries if entry.names[rank].casefold() in wanted), None):
                return found
        started = {entry.id for entry in entries if program and entry.program == program}
        return started.pop() if len(started) == 1 else None

    def _current(self) -> list[_Entry]:
        changed = tuple(_changed_at(folder) for folder in self._folders)
        if changed != self._read_at:
            self._read_at, self._entries = changed, list(self._read())
        return self._entries

    def _read(self) -> Iterator[_Entry]:
        seen = set()
        for folder in self._folders:
            for file in sorted(folder.rglob("*.desktop")):
                id = str(file.relative_to(folder)).replace("/", "-").removesuffix(".desktop")
                if id not in seen and (entry := _entry(id, file)):
                    seen.add(id)
                    yield entry


def _entry(id: str, file: Path) -> _Entry | None:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_LARGEST)
    except OSError:
        return None
    section = text.partition("[Desktop Entry]")[2].partition("\n[")[0]
    fields = dict(line.partition("=")[::2] for line in section.splitlines() if not line.startswith("#"))
    command = fields.get("Exec", "").split()
    program = os.path.basename(command[0].strip('"')) if command else ""
    return _Entry(id, (fields.get("StartupWMClass", "").strip(), id, id.rpartition(".")[2]), program)


def _changed_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
