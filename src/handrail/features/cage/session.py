"""The record of a run in a cage, `cage.json` in its folder."""

import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from handrail.features.cage.run_folder import FOLDER, RunFolder, new_folder, write_record
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, NotFound
from handrail.ports.unreadable_json import UNREADABLE_JSON

Level = Literal["full", "narrow", "none"]
"""How well the agent is confined."""
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class CageSession(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The content of `cage.json`. Without `ended_at` it is running, or its launcher was killed (see `is_running`)."""

    id: str
    project: str
    client: str
    """A supported client's name, such as `claude`; empty for any other command."""
    command: tuple[str, ...]
    level: Level
    started_at: str
    ended_at: str | None = None
    exit_code: int | None = None


@dataclass(frozen=True)
class CageFolder:
    """A run's folder with its record."""

    path: Path

    @property
    def upper(self) -> Path:
        return Path(self._run.upper)

    @property
    def work(self) -> Path:
        return Path(self._run.work)

    @property
    def base(self) -> Path:
        return Path(self._run.base)

    @property
    def copy(self) -> Path:
        return Path(self._run.copy)

    @property
    def is_running(self) -> bool:
        """Whether the launcher is alive."""
        return self._run.is_running

    def lock(self) -> AbstractContextManager[None]:
        """Within the context, `is_running` is true."""
        return self._run.lock()

    @property
    def _run(self) -> RunFolder:
        return RunFolder(str(self.path))

    def read(self) -> CageSession:
        """NotFound, Damaged."""
        try:
            return msgspec.json.decode((self.path / "cage.json").read_bytes(), type=CageSession)
        except FileNotFoundError:
            raise NotFound(
                f"Unknown cage {self.path.name!r}.", hint="List them with `handrail review --list`."
            ) from None
        except UNREADABLE_JSON as error:
            raise Damaged(f"{self.path / 'cage.json'} can't be read: {error}") from None

    def write(self, session: CageSession) -> None:
        replace_file(self.path / "cage.json", msgspec.json.format(msgspec.json.encode(session), indent=2) + b"\n")

    def end(self, exit_code: int) -> CageSession:
        """Records the end and returns the new session."""
        session = msgspec.structs.replace(self.read(), ended_at=_now(), exit_code=exit_code)
        self.write(session)
        return session


def new_cage(
    state: Path, project: str, client: str, command: Sequence[str], level: Level
) -> tuple[CageFolder, CageSession]:
    """Makes a new folder with its record."""
    run = new_folder(str(state), is_narrow=level == "narrow")
    write_record(run, project, client, command, level)
    folder = CageFolder(Path(run.path))
    return folder, folder.read()


def find_cage(state: Path, run_id: str) -> CageFolder:
    """NotFound."""
    folder = CageFolder(state / FOLDER / run_id)
    if not _ID.fullmatch(run_id) or not folder.path.is_dir():
        raise _unknown(run_id)
    return folder


def list_cages(state: Path, project: str | None = None) -> list[tuple[CageFolder, CageSession]]:
    """Returns the runs of one project, or all, oldest first. Unreadable records are skipped."""
    try:
        names = sorted(name for name in os.listdir(state / FOLDER) if _ID.fullmatch(name))
    except FileNotFoundError:
        return []
    cages = []
    for name in names:
        folder = CageFolder(state / FOLDER / name)
        try:
            session = folder.read()
        except (NotFound, Damaged):
            continue
        if project is None or session.project == project:
            cages.append((folder, session))
    return cages


def _unknown(run_id: str) -> NotFound:
    return NotFound(f"Unknown cage {run_id!r}.", hint="List them with `handrail review --list`.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
