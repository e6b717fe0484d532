"""The entries that an agent changed, by path, and the paths that it removed."""

from collections.abc import Iterable, Iterator

from handrail.features.review.agent_entries import AgentEntry
from handrail.features.review.base import Base

_NOTHING = AgentEntry("", "removed")


class AgentChanges:
    """If a folder was removed or replaced, everything that the base has in it counts as removed."""

    def __init__(self, entries: Iterable[AgentEntry], base: Base) -> None:
        self.entries: dict[str, AgentEntry] = {}
        self._base = base
        self._removed: dict[str, None] = {}
        self._replaced: dict[str, None] = {}
        """Files that a folder has replaced."""
        opaque = []
        for entry in entries:
            if entry.kind == "removed":
                self._remove(entry.path)
            else:
                self.entries[entry.path] = entry
                if entry.is_opaque:
                    opaque.append(entry.path)
        self.links = frozenset(path for path, entry in self.entries.items() if entry.kind == "link")
        for folder in opaque:
            for path in list(base.below(folder)):
                if path not in self.entries:
                    self._removed[path] = None
        for path, entry in self.entries.items():
            before = base.entry(path)
            if entry.kind == "file" and before is not None and before.kind == "folder":
                self._remove(path)
            if entry.kind == "folder" and before is not None and before.kind in ("file", "link"):
                self._replaced[path] = None

    def at(self, path: str) -> AgentEntry:
        """The entry at a path; without one, an entry of kind `removed`."""
        return self.entries.get(path, _NOTHING)

    @property
    def removals(self) -> Iterator[str]:
        """Removed paths that the agent hasn't filled again, and files that are folders now."""
        return (path for path in {**self._removed, **self._replaced} if self.is_removed(path))

    def is_removed(self, path: str) -> bool:
        return path in self._replaced or (path in self._removed and path not in self.entries)

    def _remove(self, path: str) -> None:
        if self._base.entry(path) is not None:
            self._removed[path] = None
            self._removed.update(dict.fromkeys(self._base.below(path)))
        elif self._base.is_in_ignored(path):
            self._removed[path] = None


def folders_above(path: str) -> list[str]:
    """The folders that contain a path, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
