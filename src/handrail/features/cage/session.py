"""The record of a run in a cage, `cage.json` in its folder."""

import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from handrail.features.cage.level import Level
from handrail.features.cage.run_folder import FOLDER, RunFolder, begin, new_folder
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, NotFound

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class CageSession(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What `cage.json` holds. Without `ended_at` it still runs, or its launcher was killed (see `is_running`)."""

    id: str
    project: str
    client: str
    """A known client's name, such as `claude`; empty for any other command."""
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
        """Whether the launcher lives."""
        return self._run.is_running

    def held(self) -> AbstractContextManager[None]:
        """While inside, `is_running`."""
        return self._run.held()

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
        except msgspec.DecodeError as error:
            raise Damaged(f"{self.path / 'cage.json'} can't be read: {error}") from None

    def write(self, session: CageSession) -> None:
        replace_file(self.path / "cage.json", msgspec.json.format(msgspec.json.encode(session), indent=2) + b"\n")

    def end(self, exit_code: int) -> CageSession:
        """Notes the end; returns the session as it now stands."""
        session = msgspec.structs.replace(self.read(), ended_at=_now(), exit_code=exit_code)
        self.write(session)
        return session


def new_cage(
    state: Path, project: str, client: str, command: Sequence[str], level: Level
) -> tuple[CageFolder, CageSession]:
    """A new folder with its record."""
    run = new_folder(str(state), is_narrow=level == "narrow")
    begin(run, project, client, command, level)
    folder = CageFolder(Path(run.path))
    return folder, folder.read()


def find_cage(state: Path, own_id: str) -> CageFolder:
    """NotFound."""
    folder = CageFolder(state / FOLDER / own_id)
    if not _ID.fullmatch(own_id) or not folder.path.is_dir():
        raise _unknown(own_id)
    return folder


def list_cages(state: Path, project: str | None = None) -> list[tuple[CageFolder, CageSession]]:
    """Oldest first; those of one project, or all. What can't be read is left out."""
    try:
        names = sorted(name for name in os.listdir(state / FOLDER) if _ID.fullmatch(name))
    except FileNotFoundError:
        return []
    found = []
    for name in names:
        folder = CageFolder(state / FOLDER / name)
        try:
            session = folder.read()
        except (NotFound, Damaged):
            continue
        if project is None or session.project == project:
            found.append((folder, session))
    return found


def _unknown(own_id: str) -> NotFound:
    return NotFound(f"Unknown cage {own_id!r}.", hint="List them with `handrail review --list`.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
