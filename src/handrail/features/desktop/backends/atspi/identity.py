"""Finds the names of an app: those of its desktop file, its process and its windows."""

import configparser
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 1 << 20
_INTERPRETERS = re.compile(r"(python|perl|ruby|node|java|gjs|bash|sh|electron)[\d.]*(-console)?$")
_SCOPE = re.compile(r"/app(?:-[a-zA-Z0-9]+)?-([A-Za-z0-9_.\\]+?)(?:@[^/]*|-\d+)\.(?:scope|service)")


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    names: tuple[str, str, str]
    """The best match first: the class of its windows, the id, and the id's last part."""
    program: str


class Identities:
    """Identifies apps by installed desktop files, by their processes and by their windows."""

    def __init__(self) -> None:
        self._folders = app_folders()
        self._changed_at: tuple[int, ...] = ()
        self._entries: list[_Entry] = []

    def of(self, pid: int, app_name: str, classes: Sequence[str]) -> tuple[str, frozenset[str]]:
        """Returns the app's id and all its names."""
        program = _program(pid)
        desktop_id = _launched_app_id(pid) or self._installed_id((*classes, app_name), program)
        app_id = desktop_id or next(iter(reversed(classes)), "") or app_name or program
        names = {app_name, program, *classes, app_id}
        if desktop_id:
            names |= {desktop_id, f"{desktop_id}.desktop"}
        return app_id, frozenset(name for name in names if name)

    def _installed_id(self, names: Iterable[str], program: str) -> str | None:
        """Returns the id of the app with one of these names, or of the only app that starts this program."""
        entries = self._current_entries()
        wanted_names = {name.casefold() for name in names if name}
        for rank in range(3):
            if app_id := next((entry.id for entry in entries if entry.names[rank].casefold() in wanted_names), None):
                return app_id
        started = {entry.id for entry in entries if program and entry.program == program}
        return started.pop() if len(started) == 1 else None

    def _current_entries(self) -> list[_Entry]:
        changed = tuple(_changed_at(folder) for folder in self._folders)
        if changed != self._changed_at:
            self._changed_at, self._entries = changed, list(self._read_entries())
        return self._entries

    def _read_entries(self) -> Iterator[_Entry]:
        ids = set()
        for folder in self._folders:
            for file in sorted(folder.rglob("*.desktop")):
                id = str(file.relative_to(folder)).replace("/", "-").removesuffix(".desktop")
                if id not in ids and (entry := _entry(id, file)):
                    ids.add(id)
                    yield entry


def app_folders() -> list[Path]:
    """Returns the folders of desktop files, in order of precedence."""
    home = os.environ.get("XDG_DATA_HOME") or os.path.join(os.environ.get("HOME", "/"), ".local/share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [Path(place, "applications") for place in (home, *shared.split(":")) if place]


def desktop_entry(file: Path) -> dict[str, str]:
    """Reads a desktop file; empty if it can't be read."""
    section = (_read(str(file)) or "").partition("[Desktop Entry]")[2].partition("\n[")[0]
    pairs = (line.partition("=")[::2] for line in section.splitlines() if not line.startswith("#"))
    return {name.strip(): value.strip() for name, value in pairs}


def _entry(id: str, file: Path) -> _Entry | None:
    if not (fields := desktop_entry(file)):
        return None
    command = fields.get("Exec", "").split()
    program = os.path.basename(command[0].strip('"')) if command else ""
    return _Entry(id, (fields.get("StartupWMClass", "").strip(), id, id.rpartition(".")[2]), program)


def _changed_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _program(pid: int) -> str:
    """Returns the executable's name; for scripts the process name, which is the script's."""
    try:
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        return ""
    return _process_file(pid, "comm").strip() if _INTERPRETERS.match(program) else program


def _launched_app_id(pid: int) -> str | None:
    """Returns the app id according to its sandbox, desktop shell or systemd."""
    sandbox = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        sandbox.read_string(_process_file(pid, "root/.flatpak-info"))
        if name := sandbox.get("Application", "name", fallback=None):
            return name
    except configparser.Error:
        pass
    variables = dict(one.partition("=")[::2] for one in _process_file(pid, "environ").split("\0"))
    if variables.get("GIO_LAUNCHED_DESKTOP_FILE_PID") == str(pid):
        file = variables.get("GIO_LAUNCHED_DESKTOP_FILE", "")
        return file.rpartition("/applications/")[2].replace("/", "-").removesuffix(".desktop") or None
    scope = _SCOPE.search(_process_file(pid, "cgroup"))
    return re.sub(r"\\x([0-9a-f]{2})", lambda escaped: chr(int(escaped[1], 16)), scope[1]) if scope else None


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return None


def _process_file(pid: int, name: str) -> str:
    return _read(f"/proc/{pid}/{name}") or ""
