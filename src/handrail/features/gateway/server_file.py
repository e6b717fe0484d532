"""`servers.json` in the state directory: the servers, and what a person has accepted from each."""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from handrail.features.gateway.definitions import Definition
from handrail.features.gateway.model import Server
from handrail.ports.errors import Damaged, InputOutput, NotFound
from handrail.ports.state_writes import write_state
from handrail.ports.stores import Stores
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FILE = "servers.json"
_LOCK_SECONDS = 10.0
T = TypeVar("T")


class AcceptedDefinition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A definition that a person has accepted. `reads`: it runs as a read, which needs no approval by default."""

    definition: Definition
    reads: bool = False
    at: str = ""
    by: str = ""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A server and what was accepted from it, valid only while `accepted_from` is the server's digest."""

    server: Server
    accepted: dict[str, AcceptedDefinition] = {}
    accepted_from: str = ""
    is_wrapped: bool = False
    """Added by `handrail wrap`, and offered only there."""

    @property
    def valid(self) -> Mapping[str, AcceptedDefinition]:
        return self.accepted if self.accepted_from == self.server.digest else {}


class _Content(msgspec.Struct, frozen=True):
    """`revision` grows with each change, so no two contents are equal and the audit notices a file rolled back."""

    servers: dict[str, Entry] = {}
    revision: int = 0


Entries = Mapping[str, Entry]
_DECODER = msgspec.json.Decoder(_Content)


class ServerFile:
    """Read again whenever it changes on disk; written under a lock that all processes share."""

    def __init__(self, path: Path, lock: Callable[[], AbstractContextManager[None]]) -> None:
        self._path = path
        self._lock = lock
        self._last_signature: tuple[int, int, int] | None = None
        self._entries: Entries = {}

    def entries(self) -> Entries:
        """The same object until the file changes. Damaged: the file can't be read, so nothing is accepted."""
        signature = self._signature()
        if signature != self._last_signature:
            self._entries = self._read().servers
            self._last_signature = signature
        return self._entries

    def find(self, name: str) -> Entry:
        entry = self.entries().get(name)
        if entry is None:
            raise NotFound(f"There is no server named {name!r}.", hint="`handrail servers list` shows them.")
        return entry

    def change(self, change: Callable[[dict[str, Entry]], T]) -> T:
        """Lets `change` edit the entries and writes them, holding the lock. Blocks."""
        with self._lock():
            content = self._read()
            entries = dict(content.servers)
            outcome = change(entries)
            changed = msgspec.json.encode(_Content(entries, content.revision + 1))
            try:
                write_state(self._path, msgspec.json.format(changed, indent=1))
            except OSError as error:
                raise InputOutput(f"{self._path} can't be written: {error.strerror}.") from None
        return outcome

    def accept(self, server: Server, definitions: Mapping[str, tuple[Definition, bool]], by: str) -> None:
        """Stores these as accepted, with whether each runs as a read. NotFound: the server has changed since."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        new = {
            key: AcceptedDefinition(definition=definition, reads=reads, at=at, by=by)
            for key, (definition, reads) in definitions.items()
        }

        def change(entries: dict[str, Entry]) -> None:
            entry = entries.get(server.name)
            if entry is None or entry.server.digest != server.digest:
                raise NotFound(f"The server {server.name} was changed or removed just now.", hint="Review it again.")
            accepted = {**entry.valid, **new}
            entries[server.name] = msgspec.structs.replace(entry, accepted=accepted, accepted_from=server.digest)

        self.change(change)

    def drop(self, server: Server, keys: set[str]) -> None:
        """Removes what was accepted, because a person declined it or the server no longer offers it."""

        def change(entries: dict[str, Entry]) -> None:
            entry = entries.get(server.name)
            if entry is not None:
                accepted = {key: value for key, value in entry.accepted.items() if key not in keys}
                entries[server.name] = msgspec.structs.replace(entry, accepted=accepted)

        self.change(change)

    def _signature(self) -> tuple[int, int, int] | None:
        with suppress(OSError):
            now = os.stat(self._path)
            return now.st_mtime_ns, now.st_size, now.st_ino
        return None

    def _read(self) -> _Content:
        try:
            return _DECODER.decode(self._path.read_bytes())
        except FileNotFoundError:
            return _Content()
        except OSError as error:
            raise InputOutput(f"{self._path} can't be read: {error.strerror}.") from None
        except UNREADABLE_JSON as error:
            hint = "Correct the file, or remove it and add your servers again."
            raise Damaged(f"{self._path} can't be read: {error}.", hint=hint) from None


def server_file(stores: Stores) -> ServerFile:
    return ServerFile(stores.path / _FILE, lambda: stores.lock("servers", _LOCK_SECONDS))
