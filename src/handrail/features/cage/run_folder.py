"""The folder of one run in a cage, `<stateDir>/cages/<id>/`. Imports almost nothing, because the agent waits for it.

`upper/` has the agent's changes, `work/` belongs to the kernel's overlay, and `base/` is the project as it was at the
start. In a narrow cage the agent works on `copy/` instead, with `tmp/` for temporary files. `cage.json` describes the
run (`session.py`).
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from handrail.features.cage.session import Level

FOLDER = "cages"


class RunFolder:
    """The paths inside it, and whether its launcher is alive."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def id(self) -> str:
        return os.path.basename(self.path)

    @property
    def upper(self) -> str:
        return f"{self.path}/upper"

    @property
    def work(self) -> str:
        return f"{self.path}/work"

    @property
    def base(self) -> str:
        return f"{self.path}/base"

    @property
    def copy(self) -> str:
        return f"{self.path}/copy"

    @property
    def temporary(self) -> str:
        return os.path.join(self.path, "tmp")

    @property
    def is_running(self) -> bool:
        """Whether the launcher is alive: the kernel releases its lock however it ends."""
        try:
            descriptor = os.open(f"{self.path}/lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def remove(self) -> None:
        """Removes a folder in which nothing has run."""
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Within the context, `is_running` is true."""
        descriptor = os.open(f"{self.path}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def filter_cache(state: str) -> str:
    """The folder of compiled filters."""
    return f"{state}/{FOLDER}"


def write_record(folder: RunFolder, project: str, client: str, command: Sequence[str], level: Level) -> None:
    """Writes `cage.json`, which `CageSession` reads."""
    import json  # while the kernel makes the namespaces

    started = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    record = {"id": folder.id, "project": project, "client": client, "command": list(command)}
    text = json.dumps({**record, "level": level, "startedAt": started}, indent=2)
    new = f"{folder.path}/.cage.json"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.rename(new, f"{folder.path}/cage.json")


def new_folder(state: str, *, is_narrow: bool = False) -> RunFolder:
    """Makes the folder, accessible only to its owner. Ids of runs sort by when they started, also within a second."""
    now = time.time_ns() // 1000
    second, microsecond = divmod(now, 1_000_000)
    run_id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(second))}-{microsecond:05x}{os.urandom(1).hex()[0]}"
    folder = RunFolder(f"{state}/{FOLDER}/{run_id}")
    inner = (folder.copy, folder.temporary) if is_narrow else (folder.upper, folder.work)
    os.makedirs(f"{state}/{FOLDER}", mode=0o700, exist_ok=True)
    for path in (folder.path, *inner):
        os.mkdir(path, mode=0o700)
    return folder
