"""One edit of a client's file as it was made, with what is needed to undo it."""

from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Edit
from handrail.features.clients.config_file import ConfigFile, text_of
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Conflict, InputOutput


class Written(msgspec.Struct, frozen=True, rename="camel"):
    """`before` is what was there: None for nothing."""

    file: str
    keys: list[str]
    value: Any
    is_item: bool = False
    before: Any = None
    parents_made: int = 0
    file_made: bool = False
    is_removal: bool = False
    """A server's entry was taken out, and is kept as a secret for its keys. `value` is its name behind the gate."""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.file, *self.keys)

    @property
    def name(self) -> str:
        return f"{self.file}: {'.'.join(self.keys)}" if self.keys else self.file


def is_there(written: Written) -> bool:
    """Whether it is still as it was written."""
    if not written.keys:
        now: Any = text_of(Path(written.file))
    else:
        now = ConfigFile(Path(written.file)).get(tuple(written.keys))
    if written.is_item:
        return isinstance(now, list) and written.value in now
    is_same: bool = now == written.value
    return is_same


def write(edit: Edit, known: Written | None) -> Written:
    """`known` is what was written there before. Conflict: something of somebody else's is there."""
    if not edit.keys:
        return _write_file(edit, known)
    file = ConfigFile(edit.file)
    now = file.get(edit.keys)
    if known is None and now not in (None, edit.value) and not (edit.is_item or edit.replaces):
        raise Conflict(
            f"{edit.file} has an entry {'.'.join(edit.keys)} that handrail did not write.",
            hint="Remove it there, or rename it, and try again.",
        )
    return _write_value(file, edit, now, known)


def _write_value(file: ConfigFile, edit: Edit, now: Any, known: Written | None) -> Written:
    made = file.missing_parents(edit.keys)
    written = Written(str(edit.file), list(edit.keys), edit.value, edit.is_item, None, made, not file.existed)
    if known is not None:
        written = msgspec.structs.replace(known, value=edit.value)
    elif not edit.is_item:
        written = msgspec.structs.replace(written, before=now)
    if edit.is_item:
        items = now if isinstance(now, list) else []
        if edit.value in items:
            return written if known is not None else msgspec.structs.replace(written, before=edit.value)
        if known is not None and known.value in items and known.before != known.value:
            file.replace_item(edit.keys, known.value, edit.value)
        else:
            file.add_item(edit.keys, edit.value)
        if known is None:
            written = msgspec.structs.replace(written, before=None if now is None else [])
    elif now != edit.value:
        file.set(edit.keys, edit.value)
    file.save()
    return written


def _write_file(edit: Edit, known: Written | None) -> Written:
    now = text_of(edit.file)
    if now is not None and now != edit.value and (known is None or now != known.value):
        raise Conflict(f"{edit.file} is there, and handrail did not write it.", hint="Move it away, and try again.")
    try:
        edit.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(edit.file, edit.value.encode(), 0o700 if edit.is_executable else 0o600)
    except OSError as error:
        raise InputOutput(f"{edit.file} can't be written: {error.strerror}.") from None
    before = now if known is None else known.before
    return Written(str(edit.file), [], edit.value, before=before, file_made=before is None)


def undo(written: Written, taken_out: Any = None) -> bool:
    """False: somebody changed it since, so it was left. `taken_out` is what a removal took away."""
    if not written.keys:
        is_ours = text_of(Path(written.file)) in (None, written.value)
        if is_ours and written.file_made:
            Path(written.file).unlink(missing_ok=True)
        return is_ours
    file, keys = ConfigFile(Path(written.file)), tuple(written.keys)
    now = file.get(keys)
    if written.is_removal:
        if now is None and taken_out is not None:
            file.set(keys, taken_out)
            file.save()
            return True
        return now is not None and taken_out in (None, now)
    if written.is_item:
        if written.before == written.value or not isinstance(now, list) or written.value not in now:
            return True
        file.remove_item(keys, written.value)
        if len(now) == 1 and written.before is None:
            file.remove(keys, written.parents_made)
    elif now != written.value:
        return now is None
    elif written.before is not None:
        file.set(keys, written.before)
    else:
        file.remove(keys, written.parents_made)
    if written.file_made and not file.values:
        file.delete()
    else:
        file.save()
    return True
