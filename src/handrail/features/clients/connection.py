"""Writes handrail into a client's configuration, and takes out again exactly what was written."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Client, Edit
from handrail.features.clients.config_file import ConfigFile
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Conflict, InputOutput, NotFound

_FILE = "clients.json"


class Written(msgspec.Struct, frozen=True, rename="camel"):
    """One edit as it was made, with what is needed to undo it. `before` is None where nothing was there."""

    file: str
    keys: list[str]
    value: Any
    is_item: bool = False
    before: Any = None
    parents_made: int = 0
    file_made: bool = False
    is_removal: bool = False
    """What was there was taken out."""

    @property
    def name(self) -> str:
        return f"{self.file}: {'.'.join(self.keys)}" if self.keys else self.file


class Connections:
    """Which clients this state directory is connected to, and what was written for each."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE

    def written(self, client: Client) -> list[Written]:
        return self._read().get(client.name, [])

    def has(self, client: Client, edits: Sequence[Edit]) -> bool:
        """Whether these were written and are still there. A later version may write them differently."""
        written = {_key(each): each for each in self.written(client)}
        found = [written.get((str(edit.file), *edit.keys)) for edit in edits]
        return bool(found) and all(each is not None and _is_there(each) for each in found)

    def connect(self, client: Client, edits: Sequence[Edit]) -> None:
        """Repeating it changes what differs. Conflict: an entry of our name that we did not write is there."""
        earlier = {(each.file, *each.keys): each for each in self.written(client)}
        done: list[Written] = []
        for edit in edits:
            done.append(_written(edit, earlier.get((str(edit.file), *edit.keys))))
            self._save(client.name, [*done, *(each for each in earlier.values() if _key(each) not in map(_key, done))])
        self._save(client.name, [*done, *(each for each in earlier.values() if each.is_removal)])

    def take_out(self, client: Client, path: Path, keys: tuple[str, ...]) -> None:
        """Removes a value; disconnecting puts it back."""
        file = ConfigFile(path)
        taken = Written(str(path), list(keys), None, before=file.get(keys), is_removal=True)
        self._save(client.name, [*self.written(client), taken])
        file.remove(keys)
        file.save()

    def disconnect(self, client: Client) -> list[str]:
        """What was left as it is, because somebody changed it since."""
        written = self.written(client)
        if not written:
            raise NotFound(f"{client.title} isn't connected.", hint="`handrail connect` lists what is.")
        left = [each.name for each in reversed(written) if not _undo(each)]
        self._save(client.name, None)
        return left

    def _read(self) -> dict[str, list[Written]]:
        with suppress(FileNotFoundError):
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, list[Written]])
        return {}

    def _save(self, name: str, written: Sequence[Written] | None) -> None:
        known: Mapping[str, Any] = {**self._read(), name: written}
        kept = {each: value for each, value in known.items() if value}
        replace_file(self._file, msgspec.json.encode(kept))


def _key(written: Written) -> tuple[str, ...]:
    return (written.file, *written.keys)


def _is_there(written: Written) -> bool:
    if not written.keys:
        now: Any = _text_of(Path(written.file))
    else:
        now = ConfigFile(Path(written.file)).get(tuple(written.keys))
    if written.is_item:
        return isinstance(now, list) and written.value in now
    is_same: bool = now == written.value
    return is_same


def _written(edit: Edit, known: Written | None) -> Written:
    if not edit.keys:
        return _write_file(edit, known)
    file = ConfigFile(edit.file)
    now = file.get(edit.keys)
    if known is None and not edit.is_item and now is not None and now != edit.value:
        raise Conflict(
            f"{edit.file} has an entry {'.'.join(edit.keys)} that handrail did not write.",
            hint="Remove it there, or rename it, and try again.",
        )
    return _write(file, edit, now, known)


def _write(file: ConfigFile, edit: Edit, now: Any, known: Written | None) -> Written:
    made = file.missing_parents(edit.keys)
    written = Written(str(edit.file), list(edit.keys), edit.value, edit.is_item, None, made, not file.existed)
    if known is not None:
        written = msgspec.structs.replace(known, value=edit.value)
    elif not edit.is_item:
        written = msgspec.structs.replace(written, before=now)
    if edit.is_item:
        items = now or []
        if edit.value in items:
            return written if known is not None else msgspec.structs.replace(written, before=edit.value)
        file.add_item(edit.keys, edit.value)
        if known is not None and known.value in items and known.before != known.value:
            file.remove_item(edit.keys, known.value)
        elif known is None:
            written = msgspec.structs.replace(written, before=None if now is None else [])
    elif now != edit.value:
        file.set(edit.keys, edit.value)
    file.save()
    return written


def _write_file(edit: Edit, known: Written | None) -> Written:
    now = _text_of(edit.file)
    if now is not None and now != edit.value and (known is None or now != known.value):
        raise Conflict(f"{edit.file} is there, and handrail did not write it.", hint="Move it away, and try again.")
    try:
        edit.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(edit.file, edit.value.encode(), 0o700 if edit.is_executable else 0o600)
    except OSError as error:
        raise InputOutput(f"{edit.file} can't be written: {error.strerror}.") from None
    before = now if known is None else known.before
    return Written(str(edit.file), [], edit.value, before=before, file_made=before is None)


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputOutput(f"{path} can't be read: {error}.") from None


def _undo(written: Written) -> bool:
    if not written.keys:
        is_ours = _text_of(Path(written.file)) in (None, written.value)
        if is_ours and written.file_made:
            Path(written.file).unlink(missing_ok=True)
        return is_ours
    file, keys = ConfigFile(Path(written.file)), tuple(written.keys)
    now = file.get(keys)
    if written.is_removal:
        if now is None:
            file.set(keys, written.before)
            file.save()
        return now in (None, written.before)
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
