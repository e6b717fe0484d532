"""Opens the state directory: creates it, makes it private and migrates its format.

The file `format` contains the version. A directory without it is format 0 if it has content, otherwise new.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged
from handrail.ports.state_folder import state_path
from handrail.stores.local import locks
from handrail.stores.local.database import Database
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.migration import Step, steps_from
from handrail.stores.local.private_file import make_private_folder, open_private, os_failure
from handrail.stores.local.state_tables import state_database

_FORMAT = "format"
_LOCK = "format.lock"
_OURS = ("audit", "config.toml", "handrail.db", "server.json", "trusted.json", "ui-prompts.jsonl", "uploads", "waiters")
_VERSION = re.compile(rb"([0-9]{1,9})\n?")


def _make_private(state: Path) -> None:
    """To format 1: removes the group's and others' access from what format 0 wrote."""
    for name in _OURS:
        top = state / name
        _close_to_others(top)
        if top.is_dir() and not top.is_symlink():
            for folder, folders, files in os.walk(top):
                for child in (*folders, *files):
                    _close_to_others(Path(folder, child))


def _close_to_others(path: Path) -> None:
    if not path.is_symlink() and path.exists():
        path.chmod(0o700 if path.is_dir() else 0o600)


# Each step must be repeatable, because a crash may happen before the new number is written.
STEPS: Sequence[Step[Path]] = (_make_private,)


@dataclass(frozen=True, slots=True)
class State:
    path: Path
    database: Database = field(compare=False)

    def journal(self, name: str) -> JournalFile:
        """`<stateDir>/<name>/log.jsonl`, with its mark in `head` beside it."""
        return JournalFile(self.path / name / "log.jsonl", self.path / name / "head")

    def close(self) -> None:
        self.database.close()


def open_state(
    folder: Path | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    steps: Sequence[Step[Path]] = STEPS,
    patience: float = locks.PATIENCE,
) -> State:
    """Creates the directory, or migrates it to the current format; safe from many processes at once."""
    path = state_path(folder, environ)
    try:
        make_private_folder(path)
        if _read_format(path) != len(steps):
            with locks.exclusive(path / _LOCK, patience=patience):
                _migrate(path, steps)
    except OSError as error:
        raise os_failure(path, error) from error
    return State(path, state_database(path / "handrail.db"))


def _migrate(path: Path, steps: Sequence[Step[Path]]) -> None:
    version = _read_format(path)
    if version is None:
        is_new = not any(name not in (_LOCK, _FORMAT + ".new") for name in os.listdir(path))
        version = len(steps) if is_new else 0
        if is_new:
            replace_file(path / _FORMAT, b"%d\n" % version)
    for number, step in steps_from(version, steps, str(path)):
        step(path)
        replace_file(path / _FORMAT, b"%d\n" % number)


def _read_format(path: Path) -> int | None:
    try:
        descriptor = open_private(path / _FORMAT, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        match = _VERSION.fullmatch(os.read(descriptor, 64))
    finally:
        os.close(descriptor)
    if match is None:
        raise Damaged(
            f"{path / _FORMAT} doesn't contain the version of a handrail state.",
            hint="This folder is damaged or belongs to another program. Use another one with --state.",
        )
    return int(match[1])
