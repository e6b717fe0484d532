"""Finds the agent's files that git ignores."""

import os
from collections.abc import Iterable, Sequence
from functools import cached_property

from handrail.features.review.agent_changes import AgentChanges, folders_above
from handrail.features.review.base import Base
from handrail.features.review.git import run_git


class IgnoredPaths:
    def __init__(self, changes: AgentChanges, base: Base, project: str) -> None:
        self._changes, self._base, self._project = changes, base, project

    def top_of(self, path: str) -> str | None:
        """The outermost ignored folder, or the ignored file itself; None if the path isn't ignored."""
        for place in (*folders_above(path), path):
            if place in self._new or place in self._base.ignored:
                return place
        return None

    @cached_property
    def _new(self) -> set[str]:
        """The new files and folders that git ignores."""
        entries = self._changes.entries.items()
        new = [path for path, entry in entries if self._base.entry(path) is None and entry.kind == "file"]
        if not self._base.manifest.is_git or not new:
            return set()
        folders = {folder for path in new for folder in folders_above(path)}
        inner = [folder for folder in folders if os.path.lexists(os.path.join(self._project, folder, ".git"))]
        names: dict[str, list[str]] = {}
        for name in (*(f"{folder}/" for folder in folders), *new):
            names.setdefault(_innermost(name, inner), []).append(name)
        return {path for top, below in names.items() for path in self._ignored_in(top, below)}

    def _ignored_in(self, top: str, names: Sequence[str]) -> Iterable[str]:
        """The names that git ignores in one repository, since each submodule has its own rules."""
        stdin = b"\0".join(name.removeprefix(top).encode("utf-8", "surrogateescape") for name in names)
        repository = os.path.join(self._project, top)
        printed = run_git(
            repository, "check-ignore", "-z", "--stdin", input=stdin, accepted_codes=(1, 128) if top else (1,)
        )
        return [(top + name.decode("utf-8", "surrogateescape")).rstrip("/") for name in printed.split(b"\0") if name]


def _innermost(path: str, folders: Iterable[str]) -> str:
    """The deepest of these folders that contains the path, with a slash; empty if none does."""
    return max(
        (f"{each}/" for each in folders if path.startswith(f"{each}/") and path != f"{each}/"), key=len, default=""
    )
