"""Which clients are connected, and what was written to their files, so that it can be removed again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Client, Edit
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.file_edit import AppliedEdit, apply_edit, is_in_place, undo_edit
from handrail.ports.errors import Damaged, Failure, NotFound
from handrail.ports.state_writes import write_state
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FILE = "clients.json"


class ClientConnections:
    """The clients that this state directory is connected to, with the edits that were made for each."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE

    def edits_of(self, client: Client) -> list[AppliedEdit]:
        return self._read().get(client.name, [])

    def is_connected(self, client: Client, edits: Sequence[Edit]) -> bool:
        """Whether these edits were made and are still in place. A later version may make them differently."""
        applied = {each.key: each for each in self.edits_of(client)}
        matches = [applied.get(edit.key) for edit in edits]
        return bool(matches) and all(each is not None and is_in_place(each) for each in matches)

    def connect(self, client: Client, edits: Sequence[Edit]) -> None:
        """Applies the edits that differ. Conflict: an entry with our name exists that we didn't write.

        If one file can't be changed, none is: a client with our tools but without our hooks would look covered.
        """
        earlier = {each.key: each for each in self.edits_of(client)}
        applied = dict[tuple[str, ...], AppliedEdit]()
        try:
            for edit in edits:
                applied[edit.key] = apply_edit(edit, earlier.get(edit.key))
                self._save(client.name, list({**earlier, **applied}.values()))
        except Failure:
            for each in reversed(applied.values()):
                if each.key not in earlier:
                    undo_edit(each)
            self._save(client.name, list(earlier.values()))
            raise
        for each in reversed(earlier.values()):
            if each.is_removal:
                applied[each.key] = each
            elif each.key not in applied:  # written by an earlier version
                undo_edit(each)
        self._save(client.name, list(applied.values()))

    def remove_entry(self, client: Client, path: Path, keys: tuple[str, ...], note: str) -> None:
        """Removes a value until the client is disconnected. `note` is stored as the edit's `value`."""
        file = ConfigFile(path)
        self._save(client.name, [*self.edits_of(client), AppliedEdit(str(path), list(keys), note, is_removal=True)])
        file.remove(keys)
        file.save()

    def disconnect(self, client: Client, removed_values: Mapping[str, Any]) -> list[str]:
        """Returns what was kept, because it was changed since. `removed_values` are values to restore, by name."""
        applied = self.edits_of(client)
        if not applied:
            raise NotFound(f"{client.title} isn't connected.", hint="`handrail connect` lists connected clients.")
        pairs = [(each, removed_values.get(each.keys[-1]) if each.is_removal else None) for each in reversed(applied)]
        kept = [each.name for each, removed in pairs if not undo_edit(each, removed)]
        self._save(client.name, None)
        return kept

    def _read(self) -> dict[str, list[AppliedEdit]]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, list[AppliedEdit]])
        except FileNotFoundError:
            return {}
        except (OSError, *UNREADABLE_JSON) as error:
            hint = "Restore the file. Without it, remove handrail's entries from the clients' files by hand."
            raise Damaged(
                f"{self._file}, which records what was written for clients, can't be read: {error}.", hint=hint
            ) from None

    def _save(self, name: str, edits: Sequence[AppliedEdit] | None) -> None:
        clients: Mapping[str, Any] = {**self._read(), name: edits}
        remaining = {each: value for each, value in clients.items() if value}
        write_state(self._file, msgspec.json.encode(remaining))
