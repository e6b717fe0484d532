"""The tour's own folder: a fresh copy of the game, a home and a state, with nothing of the person's.

The only thing outside the folder is a short path for sockets, whose paths may not be long. It is removed at the end or,
after a tour that was killed, before the next one in the same folder.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GAME = ROOT / "examples" / "webgal-demo"
FOLDER = ROOT / "build" / "tour"
_MARK = ".handrail-demo"
"""The file that marks a folder as ours; it contains the sockets' path."""
_SOCKETS = "handrail-demo-"
_PASSED_VARIABLES = ("PATH", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


class TourFailed(Exception):
    """Why the tour can't run, in words for the person."""


@dataclass(frozen=True)
class TourFolder:
    folder: Path
    sockets: Path

    @property
    def project(self) -> Path:
        return self.folder / GAME.name

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def script(self) -> Path:
        return self.folder / "tour.json"

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def env(self) -> dict[str, str]:
        """For every program of the tour; the display is added once it exists."""
        return {
            **{name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ},
            "LANG": "C.UTF-8",
            "HANDRAIL_LANG": os.environ.get("HANDRAIL_LANG", "en"),
            "HANDRAIL_STATE": str(self.state),
            "HOME": str(self.home),
            "TMPDIR": str(self.sockets),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_RUNTIME_DIR": str(self.sockets / "runtime"),
            "XDG_SESSION_TYPE": "x11",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.sockets}/runtime/bus",
            "GDK_BACKEND": "x11",
            "GTK_A11Y": "atspi",
            "GTK_MODULES": "",
            "GSETTINGS_BACKEND": "memory",
            "GIO_USE_VFS": "local",
            "NO_AT_BRIDGE": "0",
        }


@contextmanager
def fresh_tour_folder(folder: Path) -> Iterator[TourFolder]:
    """Locks the folder until the end, so a second tour in it is refused. The folder itself is kept."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TourFailed(f"A demonstration is already running in {folder}. End it first, with Ctrl-C.") from None
        _clear(folder)
        with tempfile.TemporaryDirectory(prefix=_SOCKETS, ignore_cleanup_errors=True) as sockets:
            (folder / _MARK).write_text(sockets)
            tour_folder = TourFolder(folder, Path(sockets))
            for private in (tour_folder.home, tour_folder.logs, tour_folder.sockets / "runtime"):
                private.mkdir(mode=0o700)
            shutil.copytree(GAME, tour_folder.project, ignore=shutil.ignore_patterns("node_modules", "dist", ".*"))
            yield tour_folder


def _clear(folder: Path) -> None:
    """Removes only what a tour has made. The mark stays, so that interrupted clearing can be repeated."""
    folder.mkdir(exist_ok=True)
    mark = folder / _MARK
    if not mark.exists() and any(folder.iterdir()):
        raise TourFailed(f"{folder} wasn't made by a demonstration, so it isn't cleared. Move it away.")
    mark.touch()
    _remove_sockets(mark)
    for path in folder.iterdir():
        if path == mark:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, onerror=_raise_with_path)
        else:
            path.unlink()


def _remove_sockets(mark: Path) -> None:
    """Left by a tour that was killed. Removes a folder only if its name and owner are ours, whatever the mark says."""
    sockets = Path(mark.read_text(errors="replace"))
    if not (sockets.is_absolute() and re.fullmatch(rf"{_SOCKETS}\w{{8}}", sockets.name)):
        return
    with suppress(FileNotFoundError):
        status = sockets.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
            shutil.rmtree(sockets, ignore_errors=True)


def _raise_with_path(_: object, path: str, failure: tuple[type[BaseException], BaseException, object]) -> None:
    """The system's error has only the last part of the path."""
    if isinstance(error := failure[1], OSError):
        raise OSError(error.errno, error.strerror, path) from None
    raise error
