"""A review: every change that an agent left in its cage, and the steps that take chosen ones into the project."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath

import msgspec

from handrail.features.review.base import Base
from handrail.features.review.contents import Contents
from handrail.features.review.found import Found
from handrail.features.review.git import run_git
from handrail.features.review.item import FileChange, Group, Item
from handrail.features.review.link_targets import LinkTargets, resolved
from handrail.features.review.settled import Settled, settled_of
from handrail.features.review.taking import Plan, Wish, steps_of
from handrail.features.workspace.offers import Change, FolderChange, LinkChange, Step
from handrail.kernel.later_files import link_runs_later, runs_later
from handrail.ports.errors import Conflict, Failure, NotFound, TooLarge
from handrail.ports.files import Folder, Status

LARGEST = 64 << 20
Choice = Mapping[str, Wish]
"""By path."""


class Review:
    """Items are made once, when they are first asked for; contents are read again whenever they are needed."""

    def __init__(
        self, found: Iterable[Found], base: Base, agents: Folder, project: Folder, settled: Mapping[str, Settled]
    ) -> None:
        self._base, self._agents, self._project = base, agents, project
        self._mine, self._theirs = Contents(project, LARGEST), Contents(agents, LARGEST)
        self._settled = settled
        self._found: dict[str, Found] = {}
        self._removed: dict[str, None] = {}
        self._links: set[str] = set()
        self._sorted(found)
        self._targets = LinkTargets(project, self._found)
        self._folders: dict[str, list[str]] = {}

    @cached_property
    def items(self) -> list[Item]:
        try:
            return sorted(self._with_renames(list(self._made())), key=lambda item: item.path)
        finally:
            self._close_contents()

    def close(self) -> None:
        self._close_contents()
        self._agents.close()

    def _close_contents(self) -> None:
        for contents in (self._mine, self._theirs):
            contents.close()

    def change(self, path: str) -> FileChange:
        """The three versions, as they are now. Failure where the agent's can't be read."""
        is_removed = path in self._removed and path not in self._found
        if not is_removed and self._found.get(path, _NOTHING).kind not in ("file", "link"):
            raise _unknown(path)
        try:
            return self._read(path, is_removed)
        finally:
            self._close_contents()

    def paths_below(self, path: str) -> list[str]:
        """The items at a path or below it; for an ignored folder, its files."""
        if path in self._folders:
            return self._folders[path]
        inside = [item.path for item in self.items if item.path == path or item.path.startswith(path.rstrip("/") + "/")]
        files = [file for files in self._folders.values() for file in files]
        inside += [file for file in files if file == path or file.startswith(path.rstrip("/") + "/")]
        if not inside:
            raise _unknown(path)
        return list(dict.fromkeys(inside))

    def everything(self) -> list[str]:
        """What `--take-all` takes: all but what git ignores."""
        return [item.path for item in self.items if item.group not in ("ignored", "refused")]

    def plan(self, choice: Choice, shown: Mapping[str, str] | None = None) -> Plan:
        """`shown` has the digests that the person saw. Conflict if anything has changed since."""
        plan = Plan()
        folders: list[str] = []
        items = {item.path: item for item in self.items}
        for path, wish in choice.items():
            item = items.get(path)
            if item is not None and item.refused:
                plan.left.append(f"{path}: {item.refused}")
            elif item is not None and item.status == "folder":
                plan.steps.append(FolderChange(path, is_made=True))
            elif item is not None and item.status == "folder deleted":
                folders.append(path)
            else:
                self._take(plan, path, wish, None if shown is None else shown.get(path))
        plan.steps += self._removed_folders(plan.steps, folders)
        return plan

    def _take(self, plan: Plan, path: str, wish: Wish, shown: str | None) -> None:
        try:
            change = self.change(path)
        except Failure as failure:
            plan.left.append(f"{path}: {failure.message}")
            return
        if shown is not None and shown != change.digest:
            raise Conflict(f"{path} changed since you looked at it.", hint="Look at it again.", path=path)
        if change.is_taken:
            return
        plan.steps += steps_of(change, wish)
        is_edited = wish.content is not None
        if wish.is_settled or is_edited:
            plan.settled[path] = settled_of(change, is_edited=is_edited)
        elif wish.hunks is None and not wish.theirs and change.conflict is not None:
            plan.left.append(f"{path}: {change.conflict}")

    def _removed_folders(self, steps: Sequence[Step], folders: Sequence[str]) -> list[Step]:
        """Those that are empty once the steps are done, the deepest first."""
        gone = {step.path for step in steps if isinstance(step, Change | LinkChange) and step.after is None}
        made: list[Step] = []
        for folder in sorted(folders, key=lambda path: -len(PurePosixPath(path).parts)):
            status = self._project.status(folder)
            if status is None or status.kind != "folder":
                continue
            if all(f"{folder}/{name}" in gone for name in self._project.names(folder)):
                gone.add(folder)
                made.append(FolderChange(folder, is_made=False, mode=status.mode))
        return made

    def _sorted(self, found: Iterable[Found]) -> None:
        """What was removed, by a whiteout or because a folder was replaced, is everything that the base has there."""
        opaque = []
        for each in found:
            if each.kind == "removed":
                self._remove(each.path)
            else:
                self._found[each.path] = each
                if each.kind == "link":
                    self._links.add(each.path)
                if each.is_opaque:
                    opaque.append(each.path)
        for folder in opaque:
            for path in list(self._base.below(folder)):
                if path not in self._found:
                    self._removed[path] = None
        for path, each in self._found.items():
            entry = self._base.entry(path)
            if each.kind == "file" and entry is not None and entry.kind == "folder":
                self._remove(path)

    def _remove(self, path: str) -> None:
        if self._base.entry(path) is not None:
            self._removed[path] = None
            self._removed.update(dict.fromkeys(self._base.below(path)))
        elif self._base.is_in_ignored(path):
            self._removed[path] = None

    @cached_property
    def _ignored(self) -> set[str]:
        """Of what is new, the files and folders that git ignores here."""
        new = [path for path, found in self._found.items() if self._base.entry(path) is None and found.kind == "file"]
        asked = {parent for path in new for parent in _parents(path)}
        if not self._base.manifest.is_git or not new:
            return set()
        inner = [folder for folder in asked if os.path.lexists(os.path.join(self._project.location, folder, ".git"))]
        names: dict[str, list[str]] = {}
        for name in (*(f"{folder}/" for folder in asked), *new):
            names.setdefault(_innermost(name, inner), []).append(name)
        return {found for top, below in names.items() for found in self._ignored_in(top, below)}

    def _ignored_in(self, top: str, names: Sequence[str]) -> Iterable[str]:
        """Each submodule has rules of its own."""
        given = b"\0".join(name.removeprefix(top).encode("utf-8", "surrogateescape") for name in names)
        repository = os.path.join(self._project.location, top)
        printed = run_git(repository, "check-ignore", "-z", "--stdin", given=given, also_fine=(1, 128) if top else (1,))
        return [(top + name.decode("utf-8", "surrogateescape")).rstrip("/") for name in printed.split(b"\0") if name]

    def _made(self) -> Iterable[Item]:
        for path, found in self._found.items():
            if (top := self._ignored_top(path)) is not None and found.kind in ("file", "folder", "link"):
                if found.kind != "folder":
                    self._folders.setdefault(top, []).append(path)
            elif found.kind in ("file", "link"):
                yield from self._of_file(path, found)
            elif found.kind == "folder":
                yield from self._of_folder(path)
            else:
                yield _refused(path, _why_refused(found))
        for top, paths in self._folders.items():
            size = sum(self._found[path].size for path in paths)
            why = self._why_closed(top)
            yield Item(
                top, "ignored", "added", files=len(paths), size=size, runs_later=link_runs_later(top), refused=why
            )
        for path in self._removed:
            if path not in self._found:
                yield from self._of_removal(path)

    def _with_renames(self, items: Sequence[Item]) -> Iterable[Item]:
        """A new file with exactly the content of a deleted one was renamed."""
        gone = {self._hash(item.path, is_removed=True): item.path for item in items if item.status == "deleted"}
        for item in items:
            is_new = item.status == "added" and item.size > 0 and not item.files and item.refused is None
            old = gone.pop(self._hash(item.path, is_removed=False), None) if gone and is_new else None
            yield item if old is None else msgspec.structs.replace(item, renamed_from=old)

    def _hash(self, path: str, *, is_removed: bool) -> str:
        change = self._read(path, is_removed)
        content = (change.base if is_removed else change.agents) or b""
        return sha256(content + b"\0link" * change.is_link).hexdigest()

    def _ignored_top(self, path: str) -> str | None:
        """The outermost ignored folder, or the ignored file itself."""
        for folder in (*_parents(path), path):
            if folder in self._ignored or folder in self._base.ignored:
                return folder
        return None

    def _of_file(self, path: str, found: Found) -> Iterable[Item]:
        try:
            change = self._read(path, is_removed=False)
        except Failure as failure:
            yield _refused(path, failure.message)
            return
        if not change.is_taken and not change.is_unchanged and not self._is_settled(change):
            yield self._item(change, found.mode & 0o7000 != 0)

    def _of_folder(self, path: str) -> Iterable[Item]:
        """Only if it is new and nothing in it is listed by itself."""
        prefix = path + "/"
        if self._base.entry(path) is None and not any(other.startswith(prefix) for other in self._found):
            why = self._why_closed(path)
            if why is not None:
                yield _refused(path, why)
            elif self._project.status(path) is None:
                yield Item(path, "new", "folder")

    def _of_removal(self, path: str) -> Iterable[Item]:
        entry = self._base.entry(path)
        if (why := self._why_closed(path)) is not None or entry is None or entry.kind == "special":
            yield _refused(path, why or "the agent removed it; remove it yourself if you want to")
        elif entry.kind == "folder":
            if self._project.status(path) is not None:
                yield Item(path, "tracked", "folder deleted")
        else:
            try:
                change = self._read(path, is_removed=True)
            except Failure as failure:
                yield _refused(path, failure.message)
                return
            if change.project is not None and not self._is_settled(change):
                yield self._item(change, has_special_bits=False)

    def _is_settled(self, change: FileChange) -> bool:
        found = self._settled.get(change.path)
        return found is not None and found.covers(change)

    def _runs_later(self, change: FileChange) -> str | None:
        path = change.path
        own = link_runs_later(path) if change.links[2] else runs_later(path)
        return own or self._of_repository(path) or self._behind_link(path)

    def _behind_link(self, path: str) -> str | None:
        """A name that nobody knows, to which a link with a known one leads."""
        if not (led_to := self._led_to):
            return None
        return next((led_to[place] for place in (*_parents(path), path) if place in led_to), None)

    @cached_property
    def _led_to(self) -> dict[str, str]:
        """Where links lead whose content runs later: the agent's and those that were there."""
        before = {path: entry.link for path, entry in self._base.manifest.entries.items() if entry.kind == "link"}
        links = before | {path: self._found[path].link for path in self._links}
        known = {path: why for path in links if (why := link_runs_later(path)) is not None}
        places = {path: resolved(path, links[path] or "/", links.get) for path in known}
        return {place: f"{path} leads here: {known[path]}" for path, place in places.items() if place is not None}

    def _of_repository(self, path: str) -> str | None:
        """git takes a folder with these names for a repository, wherever it is, and runs what its settings name."""
        folder, _, name = path.rpartition("/")
        if name not in ("HEAD", "config") or not all(self._has(f"{folder}/{each}") for each in _REPOSITORY):
            return None
        return "git takes its folder for a repository, and runs programs that its config names"

    def _has(self, path: str) -> bool:
        path = path.removeprefix("/")
        return path in self._found or (self._why_closed(path) is None and self._status(path) is not None)

    def _why_closed(self, path: str) -> str | None:
        try:
            self._status(path)
        except Failure as failure:
            return failure.message
        return None

    def _status(self, path: str) -> Status | None:
        """Of what the project has there. Refused where the agent's version can't be put."""
        self._check_way(path)
        status = self._project.status(path)
        self._check_kind(path, status)
        return status

    def _check_way(self, path: str) -> None:
        if self._links and not self._links.isdisjoint(_parents(path)):
            raise Conflict("it is behind a link", path=path)

    def _check_kind(self, path: str, status: Status | None) -> None:
        if status is not None and status.kind == "other":
            raise Conflict("the project has a special file there", path=path)
        if status is not None and status.kind == "folder" and self._found.get(path, _NOTHING).kind in ("file", "link"):
            raise Conflict("the project has a folder there", path=path)

    def _read(self, path: str, is_removed: bool) -> FileChange:
        found, entry = self._found.get(path), self._base.entry(path)
        if not is_removed and found is not None and found.size > LARGEST:
            raise TooLarge(f"it is larger than {LARGEST >> 20} MB; copy it yourself", path=path)
        self._check_way(path)
        self._project.parse(path)
        status, project = self._mine.read(path)
        self._check_kind(path, status)
        is_link = status is not None and status.kind == "link"
        if is_link:
            project = self._project.link_target(path).encode()
        was_link = entry is not None and entry.kind == "link"
        agents = None if is_removed else self._left(path, found)
        base = self._base.content(path, status, project)
        is_known = entry is None or entry.kind not in ("file", "link") or base is not None
        if entry is None and self._base.is_in_ignored(path):
            base = project
        return FileChange(
            path,
            base if is_known else project,
            project,
            agents,
            entry.mode if entry is not None else None,
            status.mode if status is not None else None,
            found.mode if found is not None and not is_removed else None,
            is_known,
            (was_link, is_link, agents is not None and found is not None and found.kind == "link"),
        )

    def _left(self, path: str, found: Found | None) -> bytes:
        """The agent's version: a file's content, or where a link leads that stays in the project."""
        if found is not None and found.kind == "link":
            target = self._agents.link_target(path)
            self._targets.check(path, target)
            return target.encode()
        content = self._theirs.read(path)[1]
        if content is None:
            raise Conflict("the agent changed it meanwhile", path=path)
        return content

    def _item(self, change: FileChange, has_special_bits: bool) -> Item:
        entry = self._base.entry(change.path)
        group: Group = "binary" if change.is_binary else "tracked" if entry and entry.is_tracked else "new"
        if entry is not None and not entry.is_tracked and group == "new" and not self._base.manifest.is_git:
            group = "tracked"
        added, removed, hunks = change.counts
        mode = None
        if change.new_mode is not None and change.project_mode is not None:
            mode = f"{change.project_mode:o} → {change.new_mode:o}"
        return Item(
            change.path,
            group,
            change.status,
            change.digest,
            added,
            removed,
            hunks,
            len(change.agents or b""),
            mode=mode or ("755" if change.new_mode is not None else None),
            runs_later=self._runs_later(change),
            conflict=change.conflict,
            conflict_kind=change.conflict_kind,
            link=change.agents.decode() if change.links[2] and change.agents is not None else None,
            notes=["set-uid or set-gid is not taken"] if has_special_bits else [],
        )


_REPOSITORY = ("HEAD", "objects", "refs")
_NOTHING = Found("", "removed")


def _unknown(path: str) -> NotFound:
    return NotFound(f"The agent has no pending change of {path!r}.", hint="`handrail review` lists the changes.")


def _refused(path: str, why: str) -> Item:
    """Bytes that aren't UTF-8 are spelled out: such a name can't be taken, but it has to be shown."""
    shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Item(shown, "refused", "other", refused=why, runs_later=runs_later(path))


def _why_refused(found: Found) -> str:
    if found.kind == "unreadable":
        return f"it can't be read: {found.what}"
    return f"it is {found.what}"


def _innermost(path: str, folders: Iterable[str]) -> str:
    """The deepest of these folders around the path, with a slash; empty if it is in none."""
    return max(
        (f"{each}/" for each in folders if path.startswith(f"{each}/") and path != f"{each}/"), key=len, default=""
    )


def _parents(path: str) -> list[str]:
    """The outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
