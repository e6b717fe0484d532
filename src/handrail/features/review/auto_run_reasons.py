"""Finds out why a changed file will run as code without anyone starting it on purpose."""

from functools import cached_property

from handrail.features.review.agent_changes import AgentChanges, folders_above
from handrail.features.review.base import Base
from handrail.features.review.item import FileChange
from handrail.features.review.link_targets import resolve_link
from handrail.features.review.versions import Versions
from handrail.kernel.auto_run_files import auto_run_reason, link_auto_run_reason

_REPOSITORY = ("HEAD", "objects", "refs")


class AutoRunReasons:
    """The reason may be its name, its neighbours, or a link that leads to it."""

    def __init__(self, changes: AgentChanges, base: Base, versions: Versions) -> None:
        self._changes, self._base, self._versions = changes, base, versions

    def of(self, change: FileChange) -> str | None:
        path = change.path
        own = link_auto_run_reason(path) if change.links[2] else auto_run_reason(path)
        return own or self._in_git_folder(path) or self._through_link(path)

    def _through_link(self, path: str) -> str | None:
        """The reason if a link with a known name leads to the path."""
        if not (targets := self._link_targets):
            return None
        return next((targets[place] for place in (*folders_above(path), path) if place in targets), None)

    @cached_property
    def _link_targets(self) -> dict[str, str]:
        """The targets of links whose content runs as code, both the agent's and the project's, with the reasons."""
        before = {path: entry.link for path, entry in self._base.manifest.entries.items() if entry.kind == "link"}
        links = before | {path: self._changes.entries[path].link for path in self._changes.links}
        reasons = {path: why for path in links if (why := link_auto_run_reason(path)) is not None}
        places = {path: resolve_link(path, links[path] or "/", links.get) for path in reasons}
        return {place: f"{path} leads here: {reasons[path]}" for path, place in places.items() if place is not None}

    def _in_git_folder(self, path: str) -> str | None:
        """git treats any folder with these names as a repository, and runs programs that its config names."""
        folder, slash, name = path.rpartition("/")
        if name not in ("HEAD", "config"):
            return None
        if not all(self._versions.has(f"{folder}{slash}{each}") for each in _REPOSITORY):
            return None
        return "git takes its folder for a repository, and runs programs that its config names"
