"""A review: the changes that an agent made in its cage, and plans to take chosen ones into the project."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from handrail.features.review.agent_changes import AgentChanges
from handrail.features.review.agent_entries import AgentEntry
from handrail.features.review.base import Base
from handrail.features.review.decisions import Decision, decision_about
from handrail.features.review.item import FileChange, Item
from handrail.features.review.item_list import ItemList
from handrail.features.review.plan import FileChoice, Plan, steps_of
from handrail.features.review.versions import Versions
from handrail.features.workspace.offers import Change, FolderChange, LinkChange, Step
from handrail.ports.errors import Conflict, Failure, NotFound
from handrail.ports.files import Folder


class Review:
    """Items are cached; file contents are read each time."""

    def __init__(
        self,
        entries: Iterable[AgentEntry],
        base: Base,
        agents: Folder,
        project: Folder,
        decisions: Mapping[str, Decision],
    ) -> None:
        self._base, self._agents, self._project, self._decisions = base, agents, project, decisions
        self._changes = AgentChanges(entries, base)
        self._versions = Versions(self._changes, base, agents, project)

    @property
    def items(self) -> list[Item]:
        return self._list.items

    @cached_property
    def _list(self) -> ItemList:
        try:
            return ItemList(self._changes, self._base, self._versions, self._project, self._decisions)
        finally:
            self._versions.close_contents()

    def close(self) -> None:
        self._versions.close_contents()
        self._agents.close()

    def change(self, path: str) -> FileChange:
        """A file's three versions now. Raises Failure if the agent's can't be read."""
        is_removed = self._changes.is_removed(path)
        if not is_removed and self._changes.at(path).kind not in ("file", "link"):
            raise _unknown(path)
        try:
            return self._versions.read(path, is_removed=is_removed)
        finally:
            self._versions.close_contents()

    def paths_below(self, path: str) -> list[str]:
        """The paths of the items at or below a path; for an ignored folder, of its files."""
        ignored = self._list.ignored_files
        if path in ignored:
            return ignored[path]
        prefix = path.rstrip("/") + "/"
        places = (*(item.path for item in self.items), *(file for files in ignored.values() for file in files))
        inside = [place for place in places if place == path or place.startswith(prefix)]
        if not inside:
            raise _unknown(path)
        return list(dict.fromkeys(inside))

    def takeable_paths(self) -> list[str]:
        """The paths that `--take-all` takes: all except what git ignores."""
        return [item.path for item in self.items if item.group not in ("ignored", "refused")]

    def plan(self, choices: Mapping[str, FileChoice], shown: Mapping[str, str] | None = None) -> Plan:
        """`shown`: the digests that the person saw. Raises Conflict if anything has changed since."""
        plan = Plan()
        folders: list[str] = []
        items = {item.path: item for item in self.items}
        for path, choice in choices.items():
            item = items.get(path)
            if item is not None and item.refused:
                plan.skipped.append(f"{path}: {item.refused}")
            elif item is not None and item.status == "folder":
                plan.steps.append(FolderChange(path, is_made=True))
            elif item is not None and item.status == "folder deleted":
                folders.append(path)
            else:
                self._take(plan, path, choice, None if shown is None else shown.get(path))
        plan.steps += self._folder_removals(plan.steps, folders)
        return plan

    def _take(self, plan: Plan, path: str, choice: FileChoice, shown: str | None) -> None:
        try:
            change = self.change(path)
        except Failure as failure:
            plan.skipped.append(f"{path}: {failure.message}")
            return
        if shown is not None and shown != change.digest:
            raise Conflict(f"{path} changed since you looked at it.", hint="Look at it again.", path=path)
        if change.is_taken:
            return
        plan.steps += steps_of(change, choice)
        is_edited = choice.content is not None
        if choice.is_settled or is_edited:
            plan.decisions[path] = decision_about(change, is_edited=is_edited)
        elif choice.hunks is None and not choice.theirs and change.conflict is not None:
            plan.skipped.append(f"{path}: {change.conflict}")

    def _folder_removals(self, steps: Sequence[Step], folders: Sequence[str]) -> list[Step]:
        """Removes the folders that are empty once the steps are done, the deepest first."""
        gone = {step.path for step in steps if isinstance(step, Change | LinkChange) and step.after is None}
        removals: list[Step] = []
        for folder in sorted(folders, key=lambda path: -len(PurePosixPath(path).parts)):
            status = self._project.status(folder)
            if status is None or status.kind != "folder":
                continue
            if all(f"{folder}/{name}" in gone for name in self._project.names(folder)):
                gone.add(folder)
                removals.append(FolderChange(folder, is_made=False, mode=status.mode))
        return removals


def _unknown(path: str) -> NotFound:
    return NotFound(f"The agent has no pending change of {path!r}.", hint="`handrail review` lists the changes.")
