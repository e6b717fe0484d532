"""Previews several changes as one unit: what a person is shown, and what the approval is bound to."""

from collections.abc import Iterable, Sequence

from handrail.features.workspace.change import Change, FolderChange, LinkChange, Move, Step, states_of
from handrail.features.workspace.snapshots import is_text
from handrail.features.workspace.unified_diff import unified
from handrail.kernel.digest import digest
from handrail.kernel.tool import CallSubject, Preview
from handrail.kernel.visible import quoted_line


def preview_unit(steps: Sequence[Step], summary: str, left_out: Iterable[str] = ()) -> Preview:
    """`left_out` has lines about what is not included."""
    notes = "".join(f"# not included: {line}\n" for line in left_out)
    return Preview(
        summary=summary,
        about=CallSubject(object="" if len(steps) == 1 else str(len(steps)), kind="changes", can_undo=True),
        path=steps[0].path if len(steps) == 1 else None,
        diff=notes + diff_of(steps),
        binding={"steps": digest([_binding(step) for step in steps])},
        state=list(steps),
    )


def diff_of(steps: Sequence[Step]) -> str:
    """Returns the diff of the whole unit. A file that several steps change is shown once."""
    pieces: list[str] = []
    contents: dict[str, tuple[Change, Change]] = {}
    for step in steps:
        if isinstance(step, Change):
            contents[step.path] = (contents.get(step.path, (step, step))[0], step)
        elif isinstance(step, Move):
            pieces += [piece for path in (step.path, step.to) if (piece := _pop_diff(contents, path))]
            pieces.append(f"rename from {quoted_line(step.path)}\nrename to {quoted_line(step.to)}\n")
        elif isinstance(step, LinkChange):
            pieces.append(_link_diff(step))
        else:
            name = quoted_line(step.path)
            pieces.append(f"new folder {name}\n" if step.is_made else f"deleted folder {name}\n")
    pieces += [_content_diff(first, last) for first, last in contents.values()]
    return "".join(pieces)


def _link_diff(step: LinkChange) -> str:
    sides = ((sign, target) for sign, target in (("-", step.before), ("+", step.after)) if target is not None)
    return f"symbolic link {quoted_line(step.path)}\n" + "".join(f"{sign}{quoted_line(text)}\n" for sign, text in sides)


def _pop_diff(contents: dict[str, tuple[Change, Change]], path: str) -> str:
    pair = contents.pop(path, None)
    return "" if pair is None else _content_diff(*pair)


def _content_diff(first: Change, last: Change) -> str:
    before, after = first.before, last.after
    old_mode, new_mode = first.before_mode, last.after_mode
    modes = ""
    if None not in (before, after, old_mode, new_mode) and old_mode != new_mode:
        name = quoted_line(first.path)
        modes = f"{name}: old mode {old_mode:o}\n{name}: new mode {new_mode:o}\n"
    if before == after:
        return modes
    if not (_is_printable(before) and _is_printable(after)):
        sizes = " → ".join("none" if data is None else f"{len(data)} bytes" for data in (before, after))
        return f"{modes}Binary file {quoted_line(first.path)}: {sizes}\n"
    return modes + unified(first.path, before, after)


def _is_printable(data: bytes | None) -> bool:
    return is_text(data) and b"\0" not in (data or b"")


def _binding(step: Step) -> list[str]:
    base, after = states_of(step)
    to = step.to if isinstance(step, Move) else ""
    mode = f"{step.mode:o}" if isinstance(step, FolderChange) and step.mode is not None else ""
    return [step.path, to, base, after, mode]
