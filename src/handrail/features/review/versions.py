"""Reads the three versions of a path: at the start, in the project now, and the agent's."""

from handrail.features.review.agent_changes import AgentChanges, folders_above
from handrail.features.review.agent_entries import AgentEntry
from handrail.features.review.base import Base
from handrail.features.review.contents import Contents
from handrail.features.review.item import FileChange
from handrail.features.review.link_targets import LinkTargets
from handrail.ports.errors import Conflict, Failure, TooLarge
from handrail.ports.files import Folder, Status

MAX_FILE = 64 << 20


class Versions:
    """Reads contents each time. `close_contents` closes the folders that are kept open."""

    def __init__(self, changes: AgentChanges, base: Base, agents: Folder, project: Folder) -> None:
        self._changes, self._base, self._agents, self._project = changes, base, agents, project
        self._mine, self._theirs = Contents(project, MAX_FILE), Contents(agents, MAX_FILE)
        self._targets = LinkTargets(project, changes.entries)
        self._kinds: dict[str, str | None] = {}
        """Of the folders above new files, in the project."""

    def close_contents(self) -> None:
        for contents in (self._mine, self._theirs):
            contents.close()

    def read(self, path: str, *, is_removed: bool) -> FileChange:
        """Raises Failure if a version can't be read, or the agent's can't replace what the project has."""
        entry, before = self._changes.entries.get(path), self._base.entry(path)
        if not is_removed and entry is not None and entry.size > MAX_FILE:
            raise TooLarge(f"it is larger than {MAX_FILE >> 20} MB; copy it yourself", path=path)
        self._check_folders(path)
        self._project.parse(path)
        status, project = self._mine.read(path)
        self._check_kind(path, status)
        if status is None and not is_removed:
            self._check_parents(path)
        is_link = status is not None and status.kind == "link"
        if is_link:
            project = self._project.link_target(path).encode()
        was_link = before is not None and before.kind == "link"
        agents = None if is_removed else self._agent_content(path, entry)
        base = self._base.content(path, status, project)
        is_known = before is None or before.kind not in ("file", "link") or base is not None
        if before is None and self._base.is_in_ignored(path):
            base = project
        return FileChange(
            path,
            base if is_known else project,
            project,
            agents,
            before.mode if before is not None else None,
            status.mode if status is not None else None,
            entry.mode if entry is not None and not is_removed else None,
            is_known,
            (was_link, is_link, agents is not None and entry is not None and entry.kind == "link"),
        )

    def has(self, path: str) -> bool:
        """Whether the path exists once everything is taken."""
        return path in self._changes.entries or (self.why_closed(path) is None and self._status(path) is not None)

    def why_closed(self, path: str) -> str | None:
        """Why nothing can be written at the path; None if it can."""
        try:
            self._status(path)
        except Failure as failure:
            return failure.message
        return None

    def _status(self, path: str) -> Status | None:
        """The status of the project's file. Raises Failure if the agent's version can't replace it."""
        self._check_folders(path)
        status = self._project.status(path)
        self._check_kind(path, status)
        return status

    def _check_folders(self, path: str) -> None:
        if self._changes.links and not self._changes.links.isdisjoint(folders_above(path)):
            raise Conflict("it is behind a link", path=path)

    def _check_parents(self, path: str) -> None:
        """A file of the project where the agent has a folder: nothing can be put into it."""
        for folder in folders_above(path):
            if folder not in self._kinds:
                status = self._project.status(folder)
                self._kinds[folder] = None if status is None else status.kind
            if self._kinds[folder] is None:
                return
            if self._kinds[folder] != "folder":
                first = ": take its removal first" if self._changes.is_removed(folder) else ""
                raise Conflict(f"the project has a file at {folder!r}{first}", path=path)

    def _check_kind(self, path: str, status: Status | None) -> None:
        if status is not None and status.kind == "other":
            raise Conflict("the project has a special file there", path=path)
        if status is not None and status.kind == "folder" and self._changes.at(path).kind in ("file", "link"):
            raise Conflict("the project has a folder there", path=path)

    def _agent_content(self, path: str, entry: AgentEntry | None) -> bytes:
        """A file's content, or the target of a link that stays in the project."""
        if entry is not None and entry.kind == "link":
            target = self._agents.link_target(path)
            self._targets.check(path, target)
            return target.encode()
        content = self._theirs.read(path)[1]
        if content is None:
            raise Conflict("the agent has just changed it", path=path)
        return content
