"""Applies an edit to a client's file, and records what is needed to undo it."""

from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Edit
from handrail.features.clients.config_file import ConfigFile, read_text
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Conflict, InputOutput


class AppliedEdit(msgspec.Struct, frozen=True, rename="camel"):
    """`before` is the earlier value, None if there was none."""

    file: str
    keys: list[str]
    value: Any
    is_item: bool = False
    before: Any = None
    parents_made: int = 0
    file_made: bool = False
    is_removal: bool = False
    """The edit removed a server's entry, which is kept as a secret. `value` is the server's name behind the gate."""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.file, *self.keys)

    @property
    def name(self) -> str:
        return f"{self.file}: {'.'.join(self.keys)}" if self.keys else self.file


def is_in_place(edit: AppliedEdit) -> bool:
    """Whether the value is still there, unchanged."""
    if not edit.keys:
        current: Any = read_text(Path(edit.file))
    else:
        current = ConfigFile(Path(edit.file)).get(tuple(edit.keys))
    if edit.is_item:
        return isinstance(current, list) and edit.value in current
    is_same: bool = current == edit.value
    return is_same


def apply_edit(edit: Edit, previous: AppliedEdit | None) -> AppliedEdit:
    """`previous` is the edit that was made there before. Conflict: there is a value that handrail didn't write."""
    if not edit.keys:
        return _write_file(edit, previous)
    file = ConfigFile(edit.file)
    current = file.get(edit.keys)
    if previous is None and current not in (None, edit.value) and not (edit.is_item or edit.replaces):
        raise Conflict(
            f"{edit.file} has an entry {'.'.join(edit.keys)} that handrail did not write.",
            hint="Remove it there, or rename it, and try again.",
        )
    return _write_value(file, edit, current, previous)


def _write_value(file: ConfigFile, edit: Edit, current: Any, previous: AppliedEdit | None) -> AppliedEdit:
    parents_made = file.missing_parents(edit.keys)
    applied = AppliedEdit(
        str(edit.file), list(edit.keys), edit.value, edit.is_item, None, parents_made, not file.existed
    )
    if previous is not None:
        applied = msgspec.structs.replace(previous, value=edit.value)
    elif not edit.is_item:
        applied = msgspec.structs.replace(applied, before=current)
    if edit.is_item:
        items = current if isinstance(current, list) else []
        if edit.value in items:
            return applied if previous is not None else msgspec.structs.replace(applied, before=edit.value)
        if previous is not None and previous.value in items and previous.before != previous.value:
            file.replace_item(edit.keys, previous.value, edit.value)
        else:
            file.add_item(edit.keys, edit.value)
        if previous is None:
            applied = msgspec.structs.replace(applied, before=None if current is None else [])
    elif current != edit.value:
        file.set(edit.keys, edit.value)
    file.save()
    return applied


def _write_file(edit: Edit, previous: AppliedEdit | None) -> AppliedEdit:
    current = read_text(edit.file)
    if current is not None and current != edit.value and (previous is None or current != previous.value):
        raise Conflict(f"{edit.file} is there, and handrail did not write it.", hint="Move it away, and try again.")
    try:
        edit.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(edit.file, edit.value.encode(), 0o700 if edit.is_executable else 0o600)
    except OSError as error:
        raise InputOutput(f"{edit.file} can't be written: {error.strerror}.") from None
    before = current if previous is None else previous.before
    return AppliedEdit(str(edit.file), [], edit.value, before=before, file_made=before is None)


def undo_edit(edit: AppliedEdit, removed_value: Any = None) -> bool:
    """False if the value was changed since, so it was kept. `removed_value` is restored if the edit was a removal."""
    if not edit.keys:
        is_ours = read_text(Path(edit.file)) in (None, edit.value)
        if is_ours and edit.file_made:
            Path(edit.file).unlink(missing_ok=True)
        return is_ours
    file, keys = ConfigFile(Path(edit.file)), tuple(edit.keys)
    current = file.get(keys)
    if edit.is_removal:
        if current is None and removed_value is not None:
            file.set(keys, removed_value)
            file.save()
            return True
        return current is not None and removed_value in (None, current)
    if edit.is_item:
        if edit.before == edit.value or not isinstance(current, list) or edit.value not in current:
            return True
        file.remove_item(keys, edit.value)
        if len(current) == 1 and edit.before is None:
            file.remove(keys, edit.parents_made)
    elif current != edit.value:
        return current is None
    elif edit.before is not None:
        file.set(keys, edit.before)
    else:
        file.remove(keys, edit.parents_made)
    if edit.file_made and not file.values:
        file.delete()
    else:
        file.save()
    return True
