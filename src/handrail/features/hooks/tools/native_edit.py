"""native_edit: changes files with a client's own tools."""

import hashlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from handrail.features.hooks.native import Allowed, Change, FileChange
from handrail.features.hooks.path_scope import PathScope
from handrail.features.hooks.project_hooks import Hooks
from handrail.features.workspace.offers import Change as ProjectChange
from handrail.kernel.call import Call
from handrail.kernel.target import Step, Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Changed, Declined, InvalidParams, TooLarge

_MOST_BYTES = 16 * 1024 * 1024
ABSENT = "absent"


class PlannedFile(NamedTuple):
    """One file before and after. `after` is None if it is removed, or if the new content isn't known."""

    path: str
    display_path: str
    before: bytes | None
    after: bytes | None
    is_known: bool
    patch: str = ""


class EditPlan(NamedTuple):
    """`expected` is the SHA-256 that each file should have afterwards; `changes` are those that can be undone."""

    expected: dict[str, str]
    changes: Sequence[ProjectChange]


async def locate(hooks: Hooks, call: Call, params: Change) -> Target:
    targets = await in_thread(call, lambda: _targets(hooks.scope, params))
    if len(targets) == 1:
        return targets[0]
    return Target(steps=tuple(Step(Effect.WRITE, target) for target in targets))


def _targets(scope: PathScope, params: Change) -> list[Target]:
    paths = [path for file in params.files for path in (file.path, file.moved_to) if path is not None]
    scope.refuse_handrails(paths, is_written=True, is_whole=True)
    return list(dict.fromkeys(map(scope.target, paths)))


async def preview(hooks: Hooks, call: Call, params: Change) -> Preview | NoChange:
    return await in_thread(call, lambda: _make_preview(hooks, call, params))


def _make_preview(hooks: Hooks, call: Call, params: Change) -> Preview:
    scope = hooks.scope
    files = [each for file in params.files for each in _files(file, scope)]
    diffs = [_diff(hooks, each) for each in files]
    unknown = [each.display_path for each in files if not each.is_known]
    names = files[0].display_path if len(files) == 1 else f"{len(files)} files"
    facts = [("Changed by the client in its own way", "\n".join(unknown))] if unknown else []
    if outside := [each.display_path for each in files if os.path.isabs(each.display_path)]:
        facts.append(("Outside the project", "\n".join(outside)))
    undoable = (
        []
        if hooks.is_in_cage
        else [each for each in files if each.is_known and hooks.changes.can_undo(each.display_path)]
    )
    can_undo = len(undoable) == len(files)
    return Preview(
        f"{call.caller.name} wants to change {quoted_line(names)}",
        about=CallSubject(can_undo=can_undo)
        if len(files) == 1
        else CallSubject(str(len(files)), "files", can_undo=can_undo),
        path=files[0].display_path if len(files) == 1 else None,
        diff="".join(diffs),
        binding={each.path: digest_of(each.before) for each in files},
        state=EditPlan(
            {each.path: digest_of(each.after) for each in files if each.is_known},
            [
                ProjectChange(each.display_path, each.before, each.after)
                for each in undoable
                if each.before != each.after
            ],
        ),
        facts=tuple(facts),
    )


def _diff(hooks: Hooks, file: PlannedFile) -> str:
    if file.is_known:
        return hooks.unified(file.display_path, file.before, file.after)
    return f"--- a/{file.display_path}\n+++ b/{file.display_path}\n{file.patch}\n"


def _files(change: FileChange, scope: PathScope) -> list[PlannedFile]:
    """A move is two files: one is removed, one is created."""
    before = read_content(change.path)
    display_path = _display_path(change.path, scope)
    if change.is_removed:
        return [PlannedFile(change.path, display_path, before, None, True)]
    after = None if change.content is None else change.content.encode()
    if after is None and not (change.patch is not None and not change.edits):
        after = _edited(before, change)
    if after is None:
        patch = change.patch or "\n".join(_as_lines(change))
        return [PlannedFile(change.path, display_path, before, None, False, patch)]
    if change.moved_to is None:
        return [PlannedFile(change.path, display_path, before, after, True)]
    target = change.moved_to
    moved = PlannedFile(target, _display_path(target, scope), read_content(target), after, True)
    return [PlannedFile(change.path, display_path, before, None, True), moved]


def _edited(before: bytes | None, change: FileChange) -> bytes | None:
    """Returns the content after all edits; None if one of them has no unique position."""
    text = (before or b"").decode(errors="surrogateescape")
    for edit in change.edits:
        count = text.count(edit.old) if edit.old else 0
        if not edit.old and not text:
            text = edit.new
        elif count == 0 or (count > 1 and not edit.is_everywhere):
            return None
        else:
            text = text.replace(edit.old, edit.new) if edit.is_everywhere else text.replace(edit.old, edit.new, 1)
    return text.encode(errors="surrogateescape")


def _as_lines(change: FileChange) -> list[str]:
    lines = list[str]()
    for edit in change.edits:
        lines += ["@@ … @@", *(f"-{line}" for line in edit.old.split("\n"))]
        lines += [f"+{line}" for line in edit.new.split("\n")]
    return lines


def _display_path(path: str, scope: PathScope) -> str:
    return scope.target(path).path or path


def read_content(path: str) -> bytes | None:
    """None if there is no file. TooLarge."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise InvalidParams(f"{path} is a folder.") from None
    if len(data) > _MOST_BYTES:
        raise TooLarge(f"{path} has more than {_MOST_BYTES} bytes: its change can't be shown.")
    return data


def digest_of(content: bytes | None) -> str:
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


async def native_edit(hooks: Hooks, call: Call, params: Change, preview: Preview | None) -> Allowed:
    """Changes files. It is allowed or denied here; the client writes them."""
    assert preview is not None
    approved = preview
    plan: EditPlan = preview.state

    def check_and_keep() -> None:
        for path, base in approved.binding.items():
            if digest_of(read_content(path)) != base:
                raise Changed(f"{path} has changed since it was shown.", hint="Read it again.", path=path)

        if plan.changes:
            hooks.changes.snapshot_before(call, plan.changes)

    await in_thread(call, check_and_keep)
    return Allowed(expected=plan.expected)


_FILE_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 4096},
        "content": {"type": "string"},
        "edits": {"type": "array"},
        "isRemoved": {"type": "boolean"},
        "patch": {"type": "string"},
        "movedTo": {"type": "string"},
    },
    "required": ["path"],
}
TOOL = Tool(
    name="native_edit",
    title="Change files",
    params=Change,
    input_schema={
        "type": "object",
        "properties": {"files": {"type": "array", "items": _FILE_SCHEMA, "minItems": 1, "maxItems": 500}},
        "required": ["files"],
        "additionalProperties": False,
    },
    effect=Effect.WRITE,
    errors=(Declined, InvalidParams, Changed, TooLarge),
    locate=locate,
    preview=preview,
    run=native_edit,
    is_for_agents=False,
    face="hook",
)
