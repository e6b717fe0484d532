"""One line of a review: what the agent did to a path, and what can be taken of it."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

import msgspec

from handrail.features.review.merge import MIDDLE, MINE, THEIRS, Merge
from handrail.features.workspace.offers import is_text

Group = Literal["tracked", "new", "ignored", "binary", "refused"]
Status = Literal["added", "modified", "deleted", "folder", "folder deleted", "other"]
ConflictKind = Literal["base unknown", "created", "deleted", "deleted by agent", "changed", "hunks"]
_CONFLICTS: dict[ConflictKind, str] = {
    "base unknown": "you changed it meanwhile, and the version from the start of the run isn't known",
    "created": "you created it meanwhile, with another content",
    "deleted": "you deleted it meanwhile",
    "deleted by agent": "you changed it meanwhile; the agent deleted it",
    "changed": "you changed it meanwhile",
    "hunks": "you edited the same places as the agent",
}


@dataclass(frozen=True)
class FileChange:
    """A file in three versions; None: it isn't there. `base_is_known` is false where the person's edit hides it."""

    path: str
    base: bytes | None
    project: bytes | None
    agents: bytes | None
    base_mode: int | None = None
    project_mode: int | None = None
    agents_mode: int | None = None
    base_is_known: bool = True

    @property
    def status(self) -> Status:
        return "added" if self.base is None else "deleted" if self.agents is None else "modified"

    @cached_property
    def is_binary(self) -> bool:
        versions = (self.project, self.agents) if self.base is self.project else (self.base, self.project, self.agents)
        return not all(is_text(data) and b"\0" not in (data or b"") for data in versions)

    @property
    def new_mode(self) -> int | None:
        """The permission bits that the file gets: only whether it can be executed is the agent's."""
        if self.agents is None or self.agents_mode is None:
            return None
        if self.base is None:
            return 0o755 if self.agents_mode & 0o100 else None
        was, now = (self.base_mode or 0) & 0o100, self.agents_mode & 0o100
        if was == now or self.project_mode is None:
            return None
        readers = (self.project_mode & 0o444) >> 2
        changed = self.project_mode | readers if now else self.project_mode & ~0o111
        return changed if changed != self.project_mode else None

    @cached_property
    def is_taken(self) -> bool:
        """The project already has it."""
        return self.project == self.agents and self.new_mode is None

    @cached_property
    def merge(self) -> Merge | None:
        """None where there are no hunks to choose from: binary files, new and deleted ones."""
        if self.is_binary or self.base is None or self.project is None or self.agents is None:
            return None
        return Merge(self.base, self.project, self.agents)

    @cached_property
    def conflict_kind(self) -> ConflictKind | None:
        """Why the file can't be taken as a whole; single hunks may still be."""
        if self.project == self.agents:
            return None
        if not self.base_is_known:
            return "base unknown"
        if self.project == self.base:
            return None
        if self.base is None:
            return "created"
        if self.project is None:
            return "deleted"
        if self.agents is None:
            return "deleted by agent"
        if self.merge is None:
            return "changed"
        return "hunks" if any(hunk.state == "conflict" for hunk in self.merge.hunks) else None

    @property
    def conflict(self) -> str | None:
        return None if self.conflict_kind is None else _CONFLICTS[self.conflict_kind]

    @cached_property
    def draft(self) -> bytes | None:
        """Both sides in one text, conflicts marked, for a person to edit. None without a conflict in text."""
        if self.conflict is None or self.is_binary:
            return None
        if self.merge is not None and self.base_is_known:
            return self.merge.draft()
        if self.project is None or self.agents is None:
            return self.project if self.agents is None else self.agents
        sides = (side + (b"" if not side or side.endswith(b"\n") else b"\n") for side in (self.project, self.agents))
        mine, agents = sides
        return MINE + b"\n" + mine + MIDDLE + b"\n" + agents + THEIRS + b"\n"

    @cached_property
    def digest(self) -> str:
        """Of all that is shown: the three versions and modes."""
        parts = [self.path.encode("utf-8", "surrogateescape")]
        project, agents = (b"-" if data is None else sha256(data).digest() for data in (self.project, self.agents))
        is_same = self.base is self.project  # most files are as they were: one hash is enough
        base = project if is_same else b"-" if self.base is None else sha256(self.base).digest()
        parts += [base, project, agents]
        parts.append(repr((self.base_mode, self.project_mode, self.agents_mode)).encode())
        return sha256(b"\0".join(parts)).hexdigest()


class Item(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What lists show."""

    path: str
    group: Group
    status: Status
    digest: str = ""
    added: int = 0
    removed: int = 0
    hunks: int = 0
    size: int = 0
    files: int = 0
    """In an ignored folder."""
    mode: str | None = None
    """Such as `644 → 755`."""
    runs_later: str | None = None
    """Why its content runs as code without anyone starting it on purpose."""
    refused: str | None = None
    conflict: str | None = None
    conflict_kind: ConflictKind | None = None
    renamed_from: str | None = None
    """A deleted file of the same content."""
    notes: list[str] = []
