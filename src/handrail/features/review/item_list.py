"""Makes the items of a review: one for each path that the agent changed, and one for each ignored folder."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

import msgspec

from handrail.features.review.agent_changes import AgentChanges
from handrail.features.review.agent_entries import AgentEntry
from handrail.features.review.auto_run_reasons import AutoRunReasons
from handrail.features.review.base import Base
from handrail.features.review.decisions import Decision
from handrail.features.review.ignored_paths import IgnoredPaths
from handrail.features.review.item import FileChange, Group, Item
from handrail.features.review.versions import Versions
from handrail.kernel.auto_run_files import auto_run_reason, link_auto_run_reason
from handrail.ports.errors import Failure
from handrail.ports.files import Folder


class ItemList:
    """`items`, and in `ignored_files` the files of each ignored folder."""

    def __init__(
        self,
        changes: AgentChanges,
        base: Base,
        versions: Versions,
        project: Folder,
        decisions: Mapping[str, Decision],
    ) -> None:
        self._changes, self._base, self._versions, self._project = changes, base, versions, project
        self._decisions = decisions
        self._ignored = IgnoredPaths(changes, base, project.location)
        self._auto_run_reasons = AutoRunReasons(changes, base, versions)
        self.ignored_files: dict[str, list[str]] = {}
        self.items = sorted(self._with_renames(list(self._make_items())), key=lambda item: item.path)

    def _make_items(self) -> Iterator[Item]:
        for path, entry in self._changes.entries.items():
            if (top := self._ignored.top_of(path)) is not None and entry.kind in ("file", "folder", "link"):
                if entry.kind != "folder":
                    self.ignored_files.setdefault(top, []).append(path)
            elif entry.kind in ("file", "link"):
                yield from self._file_item(path, entry)
            elif entry.kind == "folder":
                yield from self._folder_item(path)
            else:
                yield _refused(path, _why_refused(entry))
        for top, paths in self.ignored_files.items():
            size = sum(self._changes.entries[path].size for path in paths)
            why = self._versions.why_closed(top)
            yield Item(
                top, "ignored", "added", files=len(paths), size=size, runs_later=link_auto_run_reason(top), refused=why
            )
        for path in self._changes.removals:
            yield from self._removal_item(path)

    def _with_renames(self, items: Sequence[Item]) -> Iterator[Item]:
        """A new file with exactly the content of a deleted one was renamed."""
        gone = {self._hash(item.path, is_removed=True): item.path for item in items if item.status == "deleted"}
        for item in items:
            is_new = item.status == "added" and item.size > 0 and not item.files and item.refused is None
            old = gone.pop(self._hash(item.path, is_removed=False), None) if gone and is_new else None
            yield item if old is None else msgspec.structs.replace(item, renamed_from=old)

    def _hash(self, path: str, *, is_removed: bool) -> str:
        change = self._versions.read(path, is_removed=is_removed)
        content = (change.base if is_removed else change.agents) or b""
        return sha256(content + b"\0link" * change.is_link).hexdigest()

    def _file_item(self, path: str, entry: AgentEntry) -> Iterator[Item]:
        try:
            change = self._versions.read(path, is_removed=False)
        except Failure as failure:
            yield _refused(path, failure.message)
            return
        if not change.is_taken and not change.is_unchanged and not self._is_decided(change):
            yield self._item(change, has_special_bits=entry.mode & 0o7000 != 0)

    def _folder_item(self, path: str) -> Iterator[Item]:
        """An item only if the folder is new and nothing in it is listed."""
        prefix = path + "/"
        if self._base.entry(path) is None and not any(other.startswith(prefix) for other in self._changes.entries):
            why = self._versions.why_closed(path)
            if why is not None:
                yield _refused(path, why)
            elif self._project.status(path) is None:
                yield Item(path, "new", "folder")

    def _removal_item(self, path: str) -> Iterator[Item]:
        before = self._base.entry(path)
        if (why := self._versions.why_closed(path)) is not None or before is None or before.kind == "special":
            yield _refused(path, why or "the agent removed it; remove it yourself if you want to")
        elif before.kind == "folder":
            if self._project.status(path) is not None:
                yield Item(path, "tracked", "folder deleted")
        else:
            try:
                change = self._versions.read(path, is_removed=True)
            except Failure as failure:
                yield _refused(path, failure.message)
                return
            if change.project is not None and not self._is_decided(change):
                yield self._item(change, has_special_bits=False)

    def _is_decided(self, change: FileChange) -> bool:
        decision = self._decisions.get(change.path)
        return decision is not None and decision.covers(change)

    def _item(self, change: FileChange, *, has_special_bits: bool) -> Item:
        added, removed, hunks = change.counts
        mode = None
        if change.new_mode is not None and change.project_mode is not None:
            mode = f"{change.project_mode:o} → {change.new_mode:o}"
        return Item(
            change.path,
            self._group(change),
            change.status,
            change.digest,
            added,
            removed,
            hunks,
            len(change.agents or b""),
            mode=mode or ("755" if change.new_mode is not None else None),
            runs_later=self._auto_run_reasons.of(change),
            conflict=change.conflict,
            conflict_kind=change.conflict_kind,
            link=change.agents.decode() if change.links[2] and change.agents is not None else None,
            notes=["set-uid or set-gid is not taken"] if has_special_bits else [],
        )

    def _group(self, change: FileChange) -> Group:
        """Without git, every file that existed counts as tracked."""
        if change.is_binary:
            return "binary"
        before = self._base.entry(change.path)
        is_tracked = before is not None and (before.is_tracked or not self._base.manifest.is_git)
        return "tracked" if is_tracked else "new"


def _refused(path: str, why: str) -> Item:
    """Escapes bytes that aren't UTF-8: such a path can't be taken, but must be shown."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Item(text, "refused", "other", refused=why, runs_later=auto_run_reason(path))


def _why_refused(entry: AgentEntry) -> str:
    if entry.kind == "unreadable":
        return f"it can't be read: {entry.what}"
    return f"it is {entry.what}"
