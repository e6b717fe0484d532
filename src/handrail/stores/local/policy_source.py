"""Where the policy comes from: the project's file, the user's rules, and what a person trusts.

All of it is looked at again at every call, so a person's edit counts at once. A file that breaks while
the program runs refuses every call until it is mended.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from handrail.kernel.policy import Policy, compose
from handrail.kernel.policy_document import BrokenPolicy, PolicyDocument, read_document
from handrail.ports.errors import Declined, InvalidParams, NotFound
from handrail.ports.files import Folder
from handrail.ports.paths import ClosedFolders
from handrail.ports.policy import Rule
from handrail.stores.local import locks
from handrail.stores.local.settings import BrokenSettings
from handrail.stores.local.user_rules import UserRules

POLICY_FILE = "policy.json"
_TRUSTED_FILE = "trusted.json"


class PolicySource:
    """`closed` is kept in step with the policy: the sandbox shares it."""

    def __init__(self, folder: Folder, state: Path, user_rules: UserRules, closed: ClosedFolders) -> None:
        self._folder = folder
        self._trusted = Trust(state)
        self._user_rules = user_rules
        self._closed = closed
        self._state_inside = _below(os.path.dirname(folder.location), state)
        self._seen: tuple[bytes | None, bool, Sequence[Rule]] | None = None
        self._policy = Policy(PolicyDocument(), ())

    @property
    def where(self) -> str:
        return os.path.join(self._folder.location, POLICY_FILE)

    def load(self) -> Policy:
        """At the start: a broken file stops the program."""
        data = self._read()
        # Trust too is looked up each time: a person may give or take it while the program runs.
        seen = (data, data is None or self._trusted.holds(data), self._user_rules.current())
        if seen != self._seen:
            self._policy = self._composed(*seen)
            self._seen = seen
        return self._policy

    def current(self) -> Policy:
        """At every call: a broken file refuses it."""
        try:
            return self.load()
        except (BrokenPolicy, BrokenSettings) as broken:
            raise Declined(broken.message, hint="Mend that file; until then every call is refused.") from None

    def trust(self) -> str:
        """Trusts the file as it is now; any later edit needs a new word."""
        data = self._read()
        if data is None:
            raise NotFound(f"There is no policy to trust: {self.where}")
        read_document(data, self.where)
        self._trusted.add(data, self.where)
        return hashlib.sha256(data).hexdigest()

    def distrust(self) -> bool:
        data = self._read()
        return data is not None and self._trusted.remove(data)

    def is_trusted(self) -> bool:
        data = self._read()
        return data is not None and self._trusted.holds(data)

    def _read(self) -> bytes | None:
        try:
            return self._folder.read(POLICY_FILE)
        except NotFound:
            return None

    def _composed(self, data: bytes | None, is_trusted: bool, user_rules: Sequence[Rule]) -> Policy:
        document = PolicyDocument() if data is None else read_document(data, self.where)
        policy = compose(document, is_trusted=is_trusted, user_rules=user_rules)
        self._closed.replace(policy.closed_folders, rooted=self._state_inside)
        return policy


def _below(project: str, state: Path) -> list[str]:
    """Where somebody keeps the state inside the project, no tool may touch it there."""
    inside = os.path.relpath(os.path.realpath(state), os.path.realpath(project))
    if inside == os.curdir:
        raise InvalidParams("The state directory is the project's folder itself.", hint="Name another with --state.")
    return [] if inside.split(os.sep)[0] == os.pardir else [inside]


class Trust:
    """The content hashes that a person has said yes to, in `<stateDir>/trusted.json`."""

    def __init__(self, state: Path) -> None:
        self._file = state / _TRUSTED_FILE

    def holds(self, data: bytes) -> bool:
        return hashlib.sha256(data).hexdigest() in self._read()

    def add(self, data: bytes, where: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._change() as trusted:
            trusted[hashlib.sha256(data).hexdigest()] = {"policy": where, "at": at}

    def remove(self, data: bytes) -> bool:
        with self._change() as trusted:
            return trusted.pop(hashlib.sha256(data).hexdigest(), None) is not None

    @contextmanager
    def _change(self) -> Iterator[dict[str, object]]:
        """What is trusted, to be changed in place; from reading to writing nobody else changes it."""
        with locks.exclusive(self._file.with_name(f"{_TRUSTED_FILE}.lock")):
            trusted = self._read()
            yield trusted
            self._write(trusted)

    def _read(self) -> dict[str, object]:
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, trusted: dict[str, object]) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(trusted, indent=2) + "\n", encoding="utf-8")
        new.chmod(0o600)
        new.replace(self._file)
