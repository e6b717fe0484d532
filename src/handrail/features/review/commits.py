"""Commits that an agent made in its cage: fetched without its configuration and hooks, listed, and taken one by one.

The agent's `.git` is never opened as a repository. Its objects are copied, as plain files with checked names, into an
empty repository of our own, and its branches are read as text. git then fetches from there, checks every object, and
stores the branches under `refs/handrail/<id>/`. Taking a commit merges its changes to files like all other changes.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from handrail.features.review.agent_entries import AgentEntry
from handrail.features.review.git import is_repository, run_git
from handrail.features.review.item import FileChange
from handrail.features.review.link_targets import LinkTargets
from handrail.kernel.auto_run_files import link_auto_run_reason
from handrail.ports.errors import Failure, NotFound
from handrail.ports.files import Folder, Status

_OBJECT_FOLDER = re.compile(r"[0-9a-f]{2}")
_OBJECT_FILE = re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}")
_PACK = re.compile(r"pack-[0-9a-f]+\.pack")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}")
_MAX_COMMITS = 1000
_MAX_OBJECT = 256 << 20
_MAX_FILE = 64 << 20
_NOTHING, _LINK, _SUBMODULE = "000000", "120000", "160000"
"""Modes, as git prints them."""
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Commit(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    subject: str
    message: str
    author: str
    date: str
    stat: str
    runs_later: tuple[str, ...] = ()
    """Its files that run as code later, each with the reason."""


class Commits:
    def __init__(self, cage_id: str, agent_folder: Path, project: Folder) -> None:
        self._refs = f"refs/handrail/{cage_id}"
        self._git = agent_folder / ".git"
        self._project = project

    def fetch(self) -> list[Commit]:
        """Fetches the commits that aren't on the project's own branches, the oldest first."""
        if not is_repository(self._project.location) or not self._git.is_dir() or self._git.is_symlink():
            return []
        branches = dict(self._branches())
        if not branches:
            return []
        with tempfile.TemporaryDirectory(prefix="handrail-commits-") as folder:
            self._copy_objects(Path(folder), branches)
            refs = f"+refs/heads/*:{self._refs}/*"
            run_git(
                self._project.location,
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--prune",
                folder,
                refs,
            )
        return list(self._list())

    def changes(self, commit: str) -> list[FileChange]:
        """The commit's changes against its parent, with three versions of each file. Raises NotFound."""
        location = self._project.location
        if not _COMMIT.fullmatch(commit) or commit not in {each.id for each in self._list()}:
            raise NotFound(f"Unknown commit {commit!r}.", hint="List them with `handrail review ID --commits`.")
        printed = run_git(location, "diff-tree", "-r", "-z", "--no-renames", "--root", "--no-commit-id", "-m",
                          "--first-parent", commit)  # fmt: skip
        fields = printed.split(b"\0")
        heads = [
            (os.fsdecode(path), *head.decode().removeprefix(":").split(" "))
            for head, path in zip(fields[::2], fields[1::2], strict=False)
            if head.startswith(b":")
        ]
        links = {path: self._target(new) for path, _, mode, _, new, _ in heads if mode == _LINK}
        entries = {
            path: AgentEntry(path, "link", link=links[path]) if path in links else AgentEntry(path, "file")
            for path, *_ in heads
        }
        targets = LinkTargets(self._project, entries)
        return [self._change(targets, *head[:-1]) for head in heads]

    def _change(self, targets: LinkTargets, path: str, old_mode: str, new_mode: str, old: str, new: str) -> FileChange:
        try:
            status = self._project.status(path)
            refused = self._why_refused(targets, path, status, (old_mode, new_mode), new)
        except Failure as failure:
            status, refused = None, failure.message
        if refused is not None:
            return FileChange(path, None, None, None, refused=refused)
        return FileChange(
            path,
            self._blob(path, old, old_mode),
            self._project_content(path, status),
            self._blob(path, new, new_mode),
            int(old_mode, 8) & 0o777 or None,
            status.mode if status is not None else None,
            int(new_mode, 8) & 0o777 or None,
            links=(old_mode == _LINK, status is not None and status.kind == "link", new_mode == _LINK),
        )

    def _why_refused(
        self, targets: LinkTargets, path: str, status: Status | None, modes: tuple[str, str], new: str
    ) -> str | None:
        """None if it can be taken. Raises Conflict or OutsideRoot for a link that leads out of the project."""
        if _SUBMODULE in modes:
            return "it is a submodule; cherry-pick the commit yourself"
        if status is not None and status.kind not in ("file", "link"):
            return "the project has a folder or a special file there"
        if modes[1] == _LINK:
            targets.check(path, self._target(new))
        return None

    def _project_content(self, path: str, status: Status | None) -> bytes | None:
        if status is None:
            return None
        return (
            self._project.link_target(path).encode() if status.kind == "link" else self._project.read(path, _MAX_FILE)
        )

    def _target(self, blob: str) -> str:
        return os.fsdecode(run_git(self._project.location, "cat-file", "blob", blob))

    def _blob(self, path: str, blob: str, mode: str) -> bytes | None:
        if mode == _NOTHING:
            return None
        if mode == _LINK:
            return self._target(blob).encode()
        return run_git(self._project.location, "cat-file", "--filters", f"--path={path}", blob)

    def _list(self) -> Iterator[Commit]:
        location = self._project.location
        known = run_git(location, "for-each-ref", "--format=%(refname)", self._refs).split()
        if not known:
            return
        own = ["--branches", "--tags", "--remotes", "HEAD"]
        has_head = run_git(location, "rev-parse", "--verify", "--quiet", "HEAD", accepted_codes=(1, 128))
        printed = run_git(
            location, "log", "-z", "--reverse", "--topo-order", f"--max-count={_MAX_COMMITS}",
            "--format=%H%x00%s%x00%B%x00%an <%ae>%x00%aI", *(name.decode() for name in known),
            "--not", *(own if has_head else own[:-1]),
        )  # fmt: skip
        fields = iter(printed.decode(errors="replace").split("\0"))  # which messages and names can't contain
        for cage_id, subject, message, author, date in zip(fields, fields, fields, fields, fields, strict=False):
            stat = run_git(location, "show", "--stat", "--format=", "--no-renames", cage_id).decode(errors="replace")
            yield Commit(
                cage_id, subject, message.rstrip("\n"), author, date, stat.strip("\n"), self._runs_later(cage_id)
            )

    def _runs_later(self, commit: str) -> tuple[str, ...]:
        printed = run_git(self._project.location, "diff-tree", "-r", "-z", "--name-only", "--root", "--no-commit-id",
                          "-m", "--first-parent", commit)  # fmt: skip
        paths = [os.fsdecode(path) for path in printed.split(b"\0") if path]
        return tuple(f"{path}: {why}" for path in paths if (why := link_auto_run_reason(path)))

    def _branches(self) -> Iterator[tuple[str, str]]:
        """The names and commits of the agent's branches."""
        seen = {}
        for line in _read(self._git / "packed-refs").decode(errors="replace").split("\n"):
            commit, _, name = line.partition(" ")
            if name.startswith("refs/heads/"):
                seen[name.removeprefix("refs/heads/")] = commit
        top = self._git / "refs/heads"
        for folder, _, files in os.walk(top):
            for file in files:
                place = Path(folder) / file
                seen[place.relative_to(top).as_posix()] = _read(place).decode(errors="replace").strip()
        head = _read(self._git / "HEAD").decode(errors="replace").strip()
        if _COMMIT.fullmatch(head):
            seen["HEAD"] = head
        for name, commit in seen.items():
            if _COMMIT.fullmatch(commit) and _BRANCH.fullmatch(name) and ".." not in name and ".lock" not in name:
                yield name, commit

    def _copy_objects(self, folder: Path, branches: dict[str, str]) -> None:
        """Makes an empty repository with the agent's objects, on top of the project's."""
        run_git(str(folder), "init", "--quiet", "--bare", "--template=", *_format(branches))
        objects = folder / "objects"
        own = run_git(self._project.location, "rev-parse", "--git-path", "objects").decode().rstrip("\n")
        (objects / "info").mkdir(exist_ok=True)
        (objects / "info/alternates").write_text(os.path.join(self._project.location, own) + "\n")
        for name in _names(self._git / "objects"):
            if not _OBJECT_FOLDER.fullmatch(name):
                continue
            for rest in _names(self._git / "objects" / name):
                if _OBJECT_FILE.fullmatch(rest):
                    (objects / name).mkdir(exist_ok=True)
                    _copy(self._git / "objects" / name / rest, objects / name / rest)
        known = set(_names(Path(self._project.location, own, "pack")))
        for name in _names(self._git / "objects/pack"):
            if (
                name not in known
                and _PACK.fullmatch(name)
                and _copy(self._git / "objects/pack" / name, objects / "pack" / name)
            ):
                with suppress(Failure):  # a damaged pack is skipped
                    run_git(str(folder), "index-pack", str(objects / "pack" / name))
        for name, commit in branches.items():
            with suppress(Failure):  # the commit may be missing
                run_git(str(folder), "update-ref", f"refs/heads/{name}", commit)


def _format(branches: dict[str, str]) -> list[str]:
    return ["--object-format=sha256"] if any(len(commit) == 64 for commit in branches.values()) else []


def _names(folder: Path) -> list[str]:
    if folder.is_symlink():
        return []
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(path: Path) -> bytes:
    """Empty if it isn't a plain file."""
    try:
        fd = os.open(path, _FLAGS)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        try:
            return file.read(1 << 22)
        except OSError:
            return b""


def _copy(source: Path, target: Path) -> bool:
    try:
        fd = os.open(source, _FLAGS)
    except OSError:
        return False
    with open(fd, "rb") as file, open(target, "wb") as copy:
        if os.fstat(fd).st_size > _MAX_OBJECT:
            return False
        shutil.copyfileobj(file, copy)
    return True
