"""Changes to the project's files: shown to a person first, then committed exactly as shown (`commit.py`)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from handrail.features.workspace.batch_limit import check_batch
from handrail.features.workspace.dry_runs import DryRun
from handrail.features.workspace.idempotency import EarlierWrite
from handrail.features.workspace.line_diff import LineDiff, diff
from handrail.features.workspace.unified_diff import unified
from handrail.features.workspace.workspace import Workspace, canonical, check_text
from handrail.kernel.tool import CallSubject, Preview
from handrail.ports.errors import Conflict, InvalidParams, NotFound

ABSENT = "absent"
FOLDER = "folder"
_MAX_KEY = 1024


def content_hash(data: bytes | None) -> str:
    """Returns the SHA-256 of a content, or `absent` if there is no file."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


class Repetition(msgspec.Struct, frozen=True, rename="camel"):
    """What identifies a repeated call with the same idempotency key."""

    key: str
    mode: str
    content_hash: str
    is_partial: bool = False
    """Only a part was written, or what a person edited."""


@dataclass(frozen=True)
class Change:
    """A file's content before and after. If `after` is None, the file is removed.

    Modes are permission bits, or None if they are not part of the change: a replaced file keeps its own.
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
    """Differs from the proposal: a person chose a part of it, or edited it."""

    @cached_property
    def base_hash(self) -> str:
        return content_hash(self.before)

    @cached_property
    def after_hash(self) -> str:
        return content_hash(self.after)


@dataclass(frozen=True)
class FolderChange:
    """Creates or removes an empty folder."""

    path: str
    is_made: bool
    mode: int | None = None
    undoes: str | None = None


@dataclass(frozen=True)
class Move:
    """Gives a file or folder another path. `base_hash` is the file's hash, or FOLDER."""

    path: str
    to: str
    base_hash: str
    undoes: str | None = None


@dataclass(frozen=True)
class LinkChange:
    """The target of a symbolic link before and after, or None if there is no link.

    Whoever plans the change must have checked the target.
    """

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
    """Returns the states of the step's path before and after.

    A state is a content's hash (with the mode where the change sets it), a link's state, FOLDER or ABSENT.
    """
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


def read_current(workspace: Workspace, path: str) -> tuple[str, bytes | None]:
    """Returns the canonical path and the file's present content, or None if there is no file."""
    name = file_name(path)
    try:
        return name, workspace.files.read(name)
    except NotFound:
        return name, None


def file_name(path: str) -> str:
    name = canonical(path)
    if name == ".":
        raise InvalidParams("The path is the project's root, not a file.", path=path)
    return name


def state_now(workspace: Workspace, path: str, *, with_mode: bool) -> str:
    """Returns the present state of a path, in the form of `states_of`."""
    status = workspace.files.status(path)
    if status is None:
        return ABSENT
    if status.kind == "folder":
        return FOLDER
    if status.kind == "link":
        return link_state(workspace.files.link_target(path))
    _, content = read_current(workspace, path)
    return _state(content_hash(content), status.mode if with_mode else None)


def compare(workspace: Workspace, change: Change) -> LineDiff:
    for text in (change.before, change.after):
        check_text(text or b"", change.path)
    return diff(change.before or b"", change.after or b"")


def preview_of(workspace: Workspace, change: Change, summary: str) -> Preview:
    """Returns what a person is shown. Raises Declined if it changes more lines than the policy allows."""
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
    """Returns a note about write-protected files: a yes replaces them all the same."""
    replaced = [step for step in steps if isinstance(step, Change) and step.before is not None]
    modes = ((step.path, workspace.files.mode(step.path)) for step in replaced)
    protected = [f"{path} ({mode:04o})" for path, mode in modes if mode is not None and not mode & 0o222]
    return [("Read-only", "\n".join(protected))] if protected else ()


def find_repeated(workspace: Workspace, path: str, repetition: Repetition | None) -> EarlierWrite | None:
    """Returns the first write with the same key. Raises Conflict if the key was used for something else."""
    if repetition is None:
        return None
    if len(repetition.key) > _MAX_KEY:
        raise InvalidParams(f"The idempotencyKey is longer than {_MAX_KEY} characters.")
    earlier = workspace.idempotency.find(repetition.key)
    if earlier is not None and not earlier.is_same(path, repetition.mode, repetition.content_hash):
        raise Conflict("This idempotencyKey was used for another path or content.", hint="Use a new key.", path=path)
    return earlier


def check_base(path: str, expected: str, current: str) -> None:
    if expected != current:
        raise Conflict(
            f"{path} has changed since it was read.",
            hint="Read it again, make a new dry run and write that.",
            path=path,
            expectedHash=expected,
            currentHash=current,
        )
