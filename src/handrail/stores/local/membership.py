"""`<stateDir>/team.json`: the team that this machine is a node of, and the team's latest requirements."""

import os
from pathlib import Path

import msgspec

from handrail.ports.errors import InputOutput
from handrail.ports.files import Stamp
from handrail.ports.node import Membership, decode_as
from handrail.ports.settings import BrokenSettings
from handrail.ports.state_writes import digest_of, record_write, write_state
from handrail.stores.local.private_file import read_plain

_FILE = "team.json"


class MembershipFile:
    """Implements `Memberships`. Every process on the state directory reads it, even if no server is running."""

    def __init__(self, state: Path) -> None:
        self._file = state / _FILE
        self._cache: tuple[Stamp, Membership] | None = None

    def read(self) -> Membership | None:
        if (stamp := self.stamp()) is None:
            return None
        if self._cache is None or self._cache[0] != stamp:
            self._cache = (stamp, self._parsed())
        return self._cache[1]

    def stamp(self) -> Stamp | None:
        try:
            status = os.lstat(self._file)
        except FileNotFoundError:
            return None
        return Stamp(status.st_size, max(status.st_mtime_ns, status.st_ctime_ns), status.st_ino)

    def write(self, membership: Membership) -> None:
        try:
            write_state(self._file, msgspec.json.encode(membership) + b"\n")
        except OSError as refusal:
            raise InputOutput(f"Can't write {self._file}: {refusal.strerror}.") from None

    def remove(self) -> None:
        try:
            with record_write(self._file.parent, _FILE, lambda: digest_of(self._file), None):
                self._file.unlink(missing_ok=True)
        except OSError as refusal:
            raise InputOutput(f"Can't remove {self._file}: {refusal.strerror}.") from None

    def _parsed(self) -> Membership:
        try:
            found: Membership = decode_as(read_plain(self._file), Membership)
        except (OSError, ValueError) as wrong:
            raise BrokenSettings(f"{self._file}: {wrong}") from None
        return found
