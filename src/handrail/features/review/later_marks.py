"""Why a changed file runs as code without anyone starting it on purpose."""

from functools import cached_property

from handrail.features.review.agent_changes import AgentChanges, folders_above
from handrail.features.review.base import Base
from handrail.features.review.item import FileChange
from handrail.features.review.link_targets import resolved
from handrail.features.review.versions import Versions
from handrail.kernel.auto_run_files import auto_run_reason, link_auto_run_reason

_REPOSITORY = ("HEAD", "objects", "refs")


class LaterMarks:
    """By its name, by its neighbours, or by a link that leads to it."""

    def __init__(self, changes: AgentChanges, base: Base, versions: Versions) -> None:
        self._changes, self._base, self._versions = changes, base, versions

    def of(self, change: FileChange) -> str | None:
        path = change.path
        own = link_auto_run_reason(path) if change.links[2] else auto_run_reason(path)
        return own or self._of_repository(path) or self._behind_link(path)

    def _behind_link(self, path: str) -> str | None:
        """A name that nobody knows, to which a link with a known one leads."""
        if not (targets := self._link_targets):
            return None
        return next((targets[place] for place in (*folders_above(path), path) if place in targets), None)

    @cached_property
    def _link_targets(self) -> dict[str, str]:
        """Where links lead whose content runs later: the agent's and those that were there."""
        before = {path: entry.link for path, entry in self._base.manifest.entries.items() if entry.kind == "link"}
        links = before | {path: self._changes.entries[path].link for path in self._changes.links}
        reasons = {path: why for path in links if (why := link_auto_run_reason(path)) is not None}
        places = {path: resolved(path, links[path] or "/", links.get) for path in reasons}
        return {place: f"{path} leads here: {reasons[path]}" for path, place in places.items() if place is not None}

    def _of_repository(self, path: str) -> str | None:
        """git takes a folder with these names for a repository, wherever it is, and runs what its settings name."""
        folder, slash, name = path.rpartition("/")
        if name not in ("HEAD", "config"):
            return None
        if not all(self._versions.has(f"{folder}{slash}{each}") for each in _REPOSITORY):
            return None
        return "git takes its folder for a repository, and runs programs that its config names"
