"""Writes handrail into a client's configuration, and takes out again exactly what was written."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Client, Edit
from handrail.features.clients.config_file import ConfigFile
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Conflict, NotFound

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


class Connections:
    """Which clients this state directory is connected to, and what was written for each."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE

    def written(self, client: Client) -> list[Written]:
        return self._read().get(client.name, [])

    def is_connected(self, client: Client) -> bool:
        """Whether what was written is still there."""
        first = next(iter(self.written(client)), None)
        return first is not None and ConfigFile(Path(first.file)).get(tuple(first.keys)) == first.value

    def connect(self, client: Client, edits: Sequence[Edit]) -> None:
        """Repeating it changes what differs. Conflict: an entry of our name that we did not write is there."""
        earlier = {(each.file, *each.keys): each for each in self.written(client)}
        done: list[Written] = []
        for edit in edits:
            known = earlier.get((str(edit.file), *edit.keys))
            file = ConfigFile(edit.file)
            now = file.get(edit.keys)
            if known is None and not edit.is_item and now is not None and now != edit.value:
                raise Conflict(
                    f"{edit.file} has an entry {'.'.join(edit.keys)} that handrail did not write.",
                    hint="Remove it there, or rename it, and try again.",
                )
            done.append(_write(file, edit, now, known))
            self._save(client.name, [*done, *(each for each in earlier.values() if _key(each) not in map(_key, done))])
        self._save(client.name, done)

    def disconnect(self, client: Client) -> list[str]:
        """What was left as it is, because somebody changed it since."""
        written = self.written(client)
        if not written:
            raise NotFound(f"{client.title} isn't connected.", hint="`handrail connect` lists what is.")
        left = [f"{each.file}: {'.'.join(each.keys)}" for each in reversed(written) if not _undo(each)]
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
        file.set(edit.keys, [*items, edit.value])
        written = msgspec.structs.replace(written, before=None if now is None else [])
    elif now != edit.value:
        file.set(edit.keys, edit.value)
    file.save()
    return written


def _undo(written: Written) -> bool:
    file, keys = ConfigFile(Path(written.file)), tuple(written.keys)
    now = file.get(keys)
    if written.is_item:
        if written.before == written.value or not isinstance(now, list) or written.value not in now:
            return True
        left = [each for each in now if each != written.value]
        if left or written.before is not None:
            file.set(keys, left)
        else:
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
