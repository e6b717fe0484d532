"""Which clients are connected, and what was written into their files: kept, so that it can be taken out again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.clients.client import Client, Edit
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.file_edit import Written, is_there, undo, write
from handrail.ports.errors import Damaged, Failure, NotFound
from handrail.ports.state_writes import write_state

_FILE = "clients.json"


class Connections:
    """Which clients this state directory is connected to, and what was written for each."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE

    def written(self, client: Client) -> list[Written]:
        return self._read().get(client.name, [])

    def has(self, client: Client, edits: Sequence[Edit]) -> bool:
        """Whether these were written and are still there. A later version may write them differently."""
        written = {each.key: each for each in self.written(client)}
        found = [written.get(edit.key) for edit in edits]
        return bool(found) and all(each is not None and is_there(each) for each in found)

    def connect(self, client: Client, edits: Sequence[Edit]) -> None:
        """Repeating it changes what differs. Conflict: an entry of our name that we did not write is there.

        Where one file can't be changed, none is: a client with our tools and without our hooks would look covered.
        """
        earlier = {each.key: each for each in self.written(client)}
        done = dict[tuple[str, ...], Written]()
        try:
            for edit in edits:
                done[edit.key] = write(edit, earlier.get(edit.key))
                self._save(client.name, list({**earlier, **done}.values()))
        except Failure:
            for each in reversed(done.values()):
                if each.key not in earlier:
                    undo(each)
            self._save(client.name, list(earlier.values()))
            raise
        for each in reversed(earlier.values()):
            if each.is_removal:
                done[each.key] = each
            elif each.key not in done:  # an earlier version wrote it
                undo(each)
        self._save(client.name, list(done.values()))

    def take_out(self, client: Client, path: Path, keys: tuple[str, ...], note: str) -> None:
        """Removes a value; disconnecting puts it back. `note` is kept as the `value` of what was written."""
        file = ConfigFile(path)
        self._save(client.name, [*self.written(client), Written(str(path), list(keys), note, is_removal=True)])
        file.remove(keys)
        file.save()

    def disconnect(self, client: Client, taken_out: Mapping[str, Any]) -> list[str]:
        """What was left as it is, because somebody changed it since. `taken_out` has, by name, what was removed."""
        written = self.written(client)
        if not written:
            raise NotFound(f"{client.title} isn't connected.", hint="`handrail connect` lists what is.")
        found = [(each, taken_out.get(each.keys[-1]) if each.is_removal else None) for each in reversed(written)]
        left = [each.name for each, removed in found if not undo(each, removed)]
        self._save(client.name, None)
        return left

    def _read(self) -> dict[str, list[Written]]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, list[Written]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = "Restore the file. Without it, take handrail's entries out of the clients' files by hand."
            raise Damaged(
                f"{self._file}, which says what was written for clients, can't be read: {error}.", hint=hint
            ) from None

    def _save(self, name: str, written: Sequence[Written] | None) -> None:
        known: Mapping[str, Any] = {**self._read(), name: written}
        kept = {each: value for each, value in known.items() if value}
        write_state(self._file, msgspec.json.encode(kept))
