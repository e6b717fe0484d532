"""Changes of the project's files: planned, shown to a person, and later committed exactly as shown (`commit.py`)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from handrail.features.workspace.batch_limit import check_batch
from handrail.features.workspace.dry_runs import DryRun
from handrail.features.workspace.idempotency import Written
from handrail.features.workspace.line_diff import LineDiff, diff
from handrail.features.workspace.unified_diff import unified
from handrail.features.workspace.workspace import Workspace, canonical, check_text
from handrail.kernel.tool import CallSubject, Preview
from handrail.ports.errors import Conflict, InvalidParams, NotFound
from handrail.ports.files import Status

ABSENT = "absent"
FOLDER = "folder"
_MAX_KEY = 1024


def content_hash(data: bytes | None) -> str:
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


class Repetition(msgspec.Struct, frozen=True, rename="camel"):
    """What identifies a repeated call."""

    key: str
    mode: str
    content_hash: str
    is_partial: bool = False
    """What was written is a part of it, or what a person made of it."""


@dataclass(frozen=True)
class Change:
    """A file before and after. If `after` is None, the file is removed.

    Modes are permission bits; None where they are not part of the change: a replaced file keeps its own.
    """

    path: str
    before: bytes | None
    after: bytes | None
    repetition: Repetition | None = None
    dry_run: DryRun | None = None
    undoes: str | None = None
    before_mode: int | None = None
    after_mode: int | None = None
    is_partial: bool = False
    """Not what was proposed: a person has chosen a part of it, or changed it."""

    @cached_property
    def base_hash(self) -> str:
        return content_hash(self.before)

    @cached_property
    def after_hash(self) -> str:
        return content_hash(self.after)


@dataclass(frozen=True)
class FolderChange:
    """An empty folder is made or removed."""

    path: str
    is_made: bool
    mode: int | None = None
    undoes: str | None = None


@dataclass(frozen=True)
class Move:
    """A file or a folder gets another name. `base_hash` is the file's, or FOLDER."""

    path: str
    to: str
    base_hash: str
    undoes: str | None = None


@dataclass(frozen=True)
class LinkChange:
    """Where a symbolic link leads, before and after; None: there is none. Whoever plans it has checked the target."""

    path: str
    before: str | None
    after: str | None
    undoes: str | None = None


Step = Change | FolderChange | Move | LinkChange
StepKind = Literal["file", "folder", "move", "link"]
_KINDS: dict[type[Step], StepKind] = {Change: "file", FolderChange: "folder", Move: "move", LinkChange: "link"}


def kind_of(step: Step) -> StepKind:
    return _KINDS[type(step)]


def states_of(step: Step) -> tuple[str, str]:
    """What is at its path before and after: a content's hash, with the mode where that counts; FOLDER or ABSENT."""
    if isinstance(step, Change):
        return _state(step.base_hash, step.before_mode), _state(step.after_hash, step.after_mode)
    if isinstance(step, FolderChange):
        return (ABSENT, FOLDER) if step.is_made else (FOLDER, ABSENT)
    if isinstance(step, LinkChange):
        return link_state(step.before), link_state(step.after)
    return step.base_hash, ABSENT


def link_state(target: str | None) -> str:
    return ABSENT if target is None else "link " + content_hash(target.encode())


def _state(content: str, mode: int | None) -> str:
    return content if mode is None or content == ABSENT else f"{content}:{mode:o}"


def look(workspace: Workspace, path: str) -> tuple[str, bytes | None]:
    """The canonical path and the file's content now, None if there is no file."""
    name = file_name(path)
    try:
        return name, workspace.files.read(name)
    except NotFound:
        return name, None


def file_name(path: str) -> str:
    name = canonical(path)
    if name == ".":
        raise InvalidParams("The path names the project's root, not a file.", path=path)
    return name


def state_now(workspace: Workspace, path: str, *, with_mode: bool) -> str:
    """As `states_of` says it."""
    found = workspace.files.status(path)
    if found is None:
        return ABSENT
    if found.kind == "folder":
        return FOLDER
    if found.kind == "link":
        return link_state(workspace.files.link_target(path))
    _, content = look(workspace, path)
    return _state(content_hash(content), found.mode if with_mode else None)


def compare(workspace: Workspace, change: Change) -> LineDiff:
    for text in (change.before, change.after):
        check_text(text or b"", change.path)
    return diff(change.before or b"", change.after or b"")


def preview_of(workspace: Workspace, change: Change, summary: str) -> Preview:
    """What a person is shown. Refused if it changes more lines than the policy allows."""
    if change.after is not None and change.undoes is None:
        workspace.review(change.path, change.after)
    check_batch(workspace, change.path, compare(workspace, change).changed_lines, change.path)
    return Preview(
        summary=summary,
        about=CallSubject(can_undo=True),
        path=change.path,
        diff=unified(change.path, change.before, change.after),
        binding={"baseHash": change.base_hash, "afterHash": change.after_hash},
        state=change,
        facts=read_only_facts(workspace, [change]),
    )


def read_only_facts(workspace: Workspace, steps: Sequence[Step]) -> Sequence[tuple[str, str]]:
    """A file that its owner protects from writing is replaced all the same: whoever says yes should know."""
    replaced = [step for step in steps if isinstance(step, Change) and step.before is not None]
    modes = ((step.path, workspace.files.mode(step.path)) for step in replaced)
    shut = [f"{path} ({mode:04o})" for path, mode in modes if mode is not None and not mode & 0o222]
    return [("Read-only", "\n".join(shut))] if shut else ()


def replayed(workspace: Workspace, path: str, repetition: Repetition | None) -> Written | None:
    """The first answer to the same key. Conflict if the same key comes with something else."""
    if repetition is None:
        return None
    if len(repetition.key) > _MAX_KEY:
        raise InvalidParams(f"The idempotencyKey is longer than {_MAX_KEY} characters.")
    written = workspace.idempotency.find(repetition.key)
    if written is not None and not written.is_same(path, repetition.mode, repetition.content_hash):
        raise Conflict("This idempotencyKey was used for another path or content.", hint="Use a new key.", path=path)
    return written


def check_base(path: str, expected: str, current: str) -> None:
    if expected != current:
        raise Conflict(
            f"{path} changed since it was looked at.",
            hint="Read it again, make a new dry run and write that.",
            path=path,
            expectedHash=expected,
            currentHash=current,
        )


def removal_of(workspace: Workspace, path: str, *, is_recursive: bool) -> list[Step]:
    """What removes a file, or a folder with everything in it, the deepest first."""
    name = file_name(path)
    found = _found(workspace, name)
    if found.kind != "folder":
        return [_file_removal(workspace, name, found.mode)]
    if not is_recursive and workspace.files.names(name):
        raise Conflict(f"{name} isn't empty.", hint="Set `recursive` to remove what is in it as well.", path=name)
    files: list[Step] = []
    folders: list[Step] = [FolderChange(name, is_made=False, mode=found.mode)]
    for inner in inside(workspace, name):
        status = workspace.files.status(inner)
        if status is None:
            raise Conflict(f"{inner} vanished meanwhile.", path=inner)
        if status.kind == "folder":
            folders.append(FolderChange(inner, is_made=False, mode=status.mode))
        else:
            files.append(_file_removal(workspace, inner, status.mode))
    deepest_first = sorted(folders, key=lambda step: -len(PurePosixPath(step.path).parts))
    return [*sorted(files, key=lambda step: step.path), *deepest_first]


def inside(workspace: Workspace, folder: str) -> list[str]:
    """Everything below a folder. Refused where a closed name or a link is among it: nothing passes those by."""
    found = []
    pending = [folder]
    while pending:
        current = pending.pop()
        entries = workspace.files.entries(current)
        for hidden in sorted(set(workspace.files.names(current)) - {entry.name for entry in entries}):
            if workspace.files.is_temporary(hidden):
                raise Conflict(f"Another call writes in {current}.", hint="Repeat the call.", path=current)
            workspace.files.status(f"{current}/{hidden}")  # says why it is closed
            raise Conflict(f"{current} holds {hidden!r}, which handrail can't handle.", path=current)
        for entry in entries:
            path = f"{current}/{entry.name}"
            found.append(path)
            if entry.is_link:
                raise Conflict(f"{path} is a symbolic link; handrail leaves links alone.", path=path)
            if entry.is_folder:
                pending.append(path)
    return found


def _file_removal(workspace: Workspace, path: str, mode: int) -> Change:
    _, before = look(workspace, path)
    return Change(path, before, None, before_mode=mode)


def copy_of(workspace: Workspace, path: str, to: str) -> list[Step]:
    """Of a file or a whole folder, with its modes. Conflict if the new name is taken."""
    source, target = _two_names(path, to, "copied")
    found = _found(workspace, source)
    _check_is_free(workspace, target)
    if found.kind != "folder":
        return [_file_copy(workspace, source, target, found.mode)]
    steps: list[Step] = [FolderChange(target, is_made=True, mode=found.mode)]
    for inner in sorted(inside(workspace, source)):  # a folder comes before what it holds
        status = _found(workspace, inner)
        name = target + inner[len(source) :]
        if status.kind == "folder":
            steps.append(FolderChange(name, is_made=True, mode=status.mode))
        else:
            steps.append(_file_copy(workspace, inner, name, status.mode))
    return steps


def _file_copy(workspace: Workspace, path: str, to: str, mode: int) -> Change:
    workspace.files.parse(to)
    return Change(to, None, look(workspace, path)[1], after_mode=mode)


def move_of(workspace: Workspace, path: str, to: str) -> Move:
    """Of a file or a whole folder. Conflict if the new name is taken."""
    source, target = _two_names(path, to, "moved")
    found = _found(workspace, source)
    _check_is_free(workspace, target)
    if found.kind == "folder":
        for inner in inside(workspace, source):
            workspace.files.parse(target + inner[len(source) :])  # a name may be closed there that isn't here
        return Move(source, target, FOLDER)
    return Move(source, target, content_hash(look(workspace, source)[1]))


def _two_names(path: str, to: str, what: str) -> tuple[str, str]:
    source, target = file_name(path), file_name(to)
    if target == source or target.startswith(source + "/"):
        raise InvalidParams(f"{source} can't be {what} into itself.", path=source)
    return source, target


def _found(workspace: Workspace, path: str) -> Status:
    found = workspace.files.status(path)
    if found is None:
        raise NotFound(f"File not found: {path}", hint="list_files shows what there is.", path=path)
    return found


def _check_is_free(workspace: Workspace, target: str) -> None:
    if workspace.files.status(target) is not None:
        raise Conflict(f"{target} exists already.", hint="Choose another name, or remove it first.", path=target)


def paths_of(steps: Sequence[Step]) -> list[str]:
    """Every path that they change, in their order."""
    named = [path for step in steps for path in ((step.path, step.to) if isinstance(step, Move) else (step.path,))]
    return list(dict.fromkeys(named))


def with_parents(workspace: Workspace, steps: Sequence[Step]) -> list[Step]:
    """The same, with a step for every missing folder above what is created, so that undo removes it again."""
    planned: list[Step] = []
    made = {step.path for step in steps if isinstance(step, FolderChange) and step.is_made}
    for step in steps:
        target = step.to if isinstance(step, Move) else step.path
        is_new = isinstance(step, Move) or states_of(step)[0] == ABSENT
        for parent in reversed(PurePosixPath(target).parents[:-1]) if is_new else ():
            if str(parent) not in made and workspace.files.status(str(parent)) is None:
                made.add(str(parent))
                planned.append(FolderChange(str(parent), is_made=True))
        planned.append(step)
    return planned
