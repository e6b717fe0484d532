"""The record of a run in a cage, `cage.json` in its folder."""

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from handrail.features.cage.run_folder import FOLDER, RunFolder, begin, new_folder
from handrail.features.cage.spec import Level
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


class CageFolder(RunFolder):
    """With the run's record."""

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
    folder = CageFolder(new_folder(state, is_narrow=level == "narrow").path)
    begin(folder, project, client, command, level)
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
