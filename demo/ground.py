"""Where the demonstration takes place: a fresh folder with a copy of the game, and nothing of the person's own.

Knows no programs. What is outside the folder is a short path for sockets, which may not be long; it is removed in the
end, or, after a tour that was killed, before the next one in the same folder.
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
"""The file by which a folder is known as ours; it holds the path of the sockets."""
_SOCKETS = "handrail-demo-"
_SHARED = ("PATH", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


class NotPossible(Exception):
    """Why there is no demonstration, in words for the person."""


@dataclass(frozen=True)
class Ground:
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
        """Of every program here; its display is known once there is one."""
        return {
            **{name: os.environ[name] for name in _SHARED if name in os.environ},
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
def fresh_ground(folder: Path) -> Iterator[Ground]:
    """Held until the end: a second demonstration in the same folder is refused. The folder stays, to be looked at."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotPossible(f"A demonstration is under way in {folder} already: end it first, with Ctrl-C.") from None
        _clear(folder)
        with tempfile.TemporaryDirectory(prefix=_SOCKETS, ignore_cleanup_errors=True) as sockets:
            (folder / _MARK).write_text(sockets)
            ground = Ground(folder, Path(sockets))
            for private in (ground.home, ground.logs, ground.sockets / "runtime"):
                private.mkdir(mode=0o700)
            shutil.copytree(GAME, ground.project, ignore=shutil.ignore_patterns("node_modules", "dist", ".*"))
            yield ground


def _clear(folder: Path) -> None:
    """Nothing is removed that was not made here. The mark stays: a clearing that is cut short can be done again."""
    folder.mkdir(exist_ok=True)
    mark = folder / _MARK
    if not mark.exists() and any(folder.iterdir()):
        raise NotPossible(f"{folder} is not from a demonstration, so it is not cleared: move it away.")
    mark.touch()
    _remove_sockets(mark)
    for found in folder.iterdir():
        if found == mark:
            continue
        if found.is_dir() and not found.is_symlink():
            shutil.rmtree(found, onerror=_say_where)
        else:
            found.unlink()


def _remove_sockets(mark: Path) -> None:
    """Of a tour that was killed. Whatever the mark says, only what is ours by its name and its owner is removed."""
    sockets = Path(mark.read_text(errors="replace"))
    if not (sockets.is_absolute() and re.fullmatch(rf"{_SOCKETS}\w{{8}}", sockets.name)):
        return
    with suppress(FileNotFoundError):
        found = sockets.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
            shutil.rmtree(sockets, ignore_errors=True)


def _say_where(_: object, path: str, failure: tuple[type[BaseException], BaseException, object]) -> None:
    """Of what could not be removed the system tells the last part of its path alone."""
    if isinstance(why := failure[1], OSError):
        raise OSError(why.errno, why.strerror, path) from None
    raise why
