"""native_edit: files that a client's own tools would change."""

import hashlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from handrail.features.hooks.native import Change, FileChange
from handrail.features.hooks.path_place import Ground
from handrail.features.hooks.port import Hooks
from handrail.features.hooks.result import Allowed
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


class Planned(NamedTuple):
    """One file: its path for people, what it holds now and then. `after` is None where the file goes or isn't known."""

    path: str
    shown: str
    before: bytes | None
    after: bytes | None
    is_known: bool
    patch: str = ""


class Plan(NamedTuple):
    """`expected` is what each file is to hold afterwards, as SHA-256; `changes` are those that can be undone."""

    expected: dict[str, str]
    changes: Sequence[ProjectChange]


async def locate(hooks: Hooks, call: Call, params: Change) -> Target:
    targets = await in_thread(call, lambda: _targets(hooks.ground, params))
    if len(targets) == 1:
        return targets[0]
    return Target(steps=tuple(Step(Effect.WRITE, target) for target in targets))


def _targets(ground: Ground, params: Change) -> list[Target]:
    paths = [path for file in params.files for path in (file.path, file.moved_to) if path is not None]
    ground.refuse_own(paths, is_written=True, is_whole=True)
    return list(dict.fromkeys(map(ground.target, paths)))


async def preview(hooks: Hooks, call: Call, params: Change) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(hooks, call, params))


def _planned(hooks: Hooks, call: Call, params: Change) -> Preview:
    ground = hooks.ground
    files = [each for file in params.files for each in _files(file, ground)]
    diffs = [_diff(hooks, each) for each in files]
    unknown = [each.shown for each in files if not each.is_known]
    names = files[0].shown if len(files) == 1 else f"{len(files)} files"
    facts = [("Changed by the client in its own way", "\n".join(unknown))] if unknown else []
    if outside := [each.shown for each in files if os.path.isabs(each.shown)]:
        facts.append(("Outside the project", "\n".join(outside)))
    kept = [] if hooks.is_in_cage else [each for each in files if each.is_known and hooks.changes.can_keep(each.shown)]
    can_undo = len(kept) == len(files)
    return Preview(
        f"{call.caller.name} wants to change {quoted_line(names)}",
        about=CallSubject(can_undo=can_undo)
        if len(files) == 1
        else CallSubject(str(len(files)), "files", can_undo=can_undo),
        path=files[0].shown if len(files) == 1 else None,
        diff="".join(diffs),
        binding={each.path: digest_of(each.before) for each in files},
        state=Plan(
            {each.path: digest_of(each.after) for each in files if each.is_known},
            [ProjectChange(each.shown, each.before, each.after) for each in kept if each.before != each.after],
        ),
        facts=tuple(facts),
    )


def _diff(hooks: Hooks, file: Planned) -> str:
    if file.is_known:
        return hooks.unified(file.shown, file.before, file.after)
    return f"--- a/{file.shown}\n+++ b/{file.shown}\n{file.patch}\n"


def _files(change: FileChange, ground: Ground) -> list[Planned]:
    """A move is two files: one goes, one comes."""
    before = content_of(change.path)
    shown = _shown(change.path, ground)
    if change.is_removed:
        return [Planned(change.path, shown, before, None, True)]
    after = None if change.content is None else change.content.encode()
    if after is None and not (change.patch is not None and not change.edits):
        after = _edited(before, change)
    if after is None:
        patch = change.patch or "\n".join(_as_lines(change))
        return [Planned(change.path, shown, before, None, False, patch)]
    if change.moved_to is None:
        return [Planned(change.path, shown, before, after, True)]
    target = change.moved_to
    moved = Planned(target, _shown(target, ground), content_of(target), after, True)
    return [Planned(change.path, shown, before, None, True), moved]


def _edited(before: bytes | None, change: FileChange) -> bytes | None:
    """The content after all edits; None where one of them has no certain place."""
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


def _shown(path: str, ground: Ground) -> str:
    return ground.target(path).path or path


def content_of(path: str) -> bytes | None:
    """None where there is no file. TooLarge."""
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
    """A change by the client's own tools. Allowed or refused here; the client writes it."""
    assert preview is not None
    shown = preview
    plan: Plan = preview.state

    def check_and_keep() -> None:
        for path, base in shown.binding.items():
            if digest_of(content_of(path)) != base:
                raise Changed(f"{path} has changed since it was shown.", hint="Read it again.", path=path)

        if plan.changes:
            hooks.changes.keep_before(call, plan.changes)

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
