"""An item of a review: what the agent did to a path, and which of it can be taken."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

import msgspec

from handrail.features.review.merge import MIDDLE, MINE, THEIRS, Merge
from handrail.features.workspace.offers import Hunk, hunks, is_text

Group = Literal["tracked", "new", "ignored", "binary", "refused"]
Status = Literal["added", "modified", "deleted", "folder", "folder deleted", "other"]
ConflictKind = Literal["base unknown", "created", "deleted", "deleted by agent", "changed", "hunks"]
_CONFLICTS: dict[ConflictKind, str] = {
    "base unknown": "you changed it since the start, and the version from then isn't known",
    "created": "you created it since the start, with other content",
    "deleted": "you deleted it since the start",
    "deleted by agent": "you changed it since the start; the agent deleted it",
    "changed": "you changed it since the start",
    "hunks": "you edited the same places as the agent",
}


@dataclass(eq=False)
class FileChange:
    """A file in three versions; None means that it doesn't exist. `base_is_known`: whether `base` is really known."""

    path: str
    base: bytes | None
    project: bytes | None
    agents: bytes | None
    base_mode: int | None = None
    project_mode: int | None = None
    agents_mode: int | None = None
    base_is_known: bool = True
    links: tuple[bool, bool, bool] = (False, False, False)
    """Which of the three versions are symbolic links. Their content is the link's target."""
    refused: str | None = None
    """Why it can't be taken."""

    @property
    def is_link(self) -> bool:
        return True in self.links

    @property
    def status(self) -> Status:
        return "added" if self.base is None else "deleted" if self.agents is None else "modified"

    @cached_property
    def is_binary(self) -> bool:
        versions = (self.project, self.agents) if self.base is self.project else (self.base, self.project, self.agents)
        return not all(is_text(data) and b"\0" not in (data or b"") for data in versions)

    @property
    def new_mode(self) -> int | None:
        """The file's new permission bits, None if they stay. The agent only decides whether it is executable."""
        if self.agents is None or self.agents_mode is None or self.is_link:
            return None
        if self.base is None:
            return 0o755 if self.agents_mode & 0o100 and not (self.project_mode or 0) & 0o100 else None
        was, now = (self.base_mode or 0) & 0o100, self.agents_mode & 0o100
        if was == now or self.project_mode is None:
            return None
        readers = (self.project_mode & 0o444) >> 2
        changed = self.project_mode | readers if now else self.project_mode & ~0o111
        return changed if changed != self.project_mode else None

    @property
    def is_taken(self) -> bool:
        """Whether the project already has the agent's version, or each of its hunks beside the person's edits."""
        return self.new_mode is None and (self._is_same(1, 2) or self._are_all_hunks_taken)

    @property
    def _are_all_hunks_taken(self) -> bool:
        if self.base is self.project or self.merge is None or not self.merge.hunks:
            return False
        return all(each.state == "taken" for each in self.merge.hunks)

    @property
    def is_unchanged(self) -> bool:
        """Whether the agent's version is the one from the start."""
        return self._is_same(0, 2) and self.new_mode is None

    def _is_same(self, first: int, second: int) -> bool:
        versions = (self.base, self.project, self.agents)
        return versions[first] == versions[second] and self.links[first] == self.links[second]

    @cached_property
    def merge(self) -> Merge | None:
        """None if there are no hunks to choose from: for binary, new and deleted files."""
        if self.is_binary or self.is_link or self.base is None or self.project is None or self.agents is None:
            return None
        return Merge(self.base, self.project, self.agents)

    @property
    def open_hunks(self) -> list[Hunk]:
        """The hunks that the project doesn't have. Nothing needs to be merged if the person hasn't edited the file."""
        if self.base is self.project and self.base is not None and self.agents is not None and not self.is_binary:
            return hunks(self.base, self.agents)
        return [] if self.merge is None else [each.hunk for each in self.merge.hunks if each.state != "taken"]

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of lines added and removed and of hunks; 0 hunks if the file is taken as a whole."""
        if self.is_binary:
            return 0, 0, 0
        if self.is_link or self.base is None or self.project is None or self.agents is None:
            return _lines(self.agents), _lines(self.base), 0
        pending = self.open_hunks
        added = sum(len(hunk.lines_new) for hunk in pending)
        return added, sum(len(hunk.lines_old) for hunk in pending), len(pending)

    @cached_property
    def conflict_kind(self) -> ConflictKind | None:
        """Why the file can't be taken as a whole; single hunks may still be."""
        if self._is_same(1, 2):
            return None
        if not self.base_is_known:
            return "base unknown"
        if self._is_same(0, 1):
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
        """Both sides in one text with conflict marks, for a person to edit. None without a conflict in text."""
        if self.conflict is None or self.is_binary or self.is_link:
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
        """A hash of everything that is shown: the three versions and modes. Equal versions are hashed once."""
        is_same = self.base is self.project
        versions = (self.project, self.agents) if is_same else (self.base, self.project, self.agents)
        sizes = [None if data is None else len(data) for data in versions]
        modes = (self.base_mode, self.project_mode, self.agents_mode)
        hasher = sha256(ascii((self.path, is_same, sizes, modes, self.links)).encode())
        for data in versions:
            hasher.update(data or b"")
        return hasher.hexdigest()


class Item(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An item, as lists show it."""

    path: str
    group: Group
    status: Status
    digest: str = ""
    added: int = 0
    removed: int = 0
    hunks: int = 0
    size: int = 0
    files: int = 0
    """The number of files in an ignored folder."""
    mode: str | None = None
    """Such as `644 → 755`."""
    runs_later: str | None = None
    """Why its content will run as code without anyone starting it on purpose."""
    refused: str | None = None
    conflict: str | None = None
    conflict_kind: ConflictKind | None = None
    link: str | None = None
    """The target of the agent's symbolic link."""
    renamed_from: str | None = None
    """A deleted file with the same content."""
    notes: list[str] = []


def _lines(data: bytes | None) -> int:
    return 0 if not data else data.count(b"\n") + (not data.endswith(b"\n"))
