"""A person's decisions not to take an agent's changes, so that they aren't shown again."""

from hashlib import sha256
from pathlib import Path

import msgspec

from handrail.features.review.item import FileChange
from handrail.ports.atomic_file import replace_file
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FILE = "settled.json"


class Decision(msgspec.Struct, frozen=True):
    """Hashes of the agent's version, and of the person's before an edit.

    The change is shown again if the agent's version is another one, or the person's earlier version is back.
    """

    agents: str
    before: str | None = None

    def covers(self, change: FileChange) -> bool:
        return self.agents == _hash(change.agents) and self.before != _hash(change.project)


def decision_about(change: FileChange, *, is_edited: bool) -> Decision:
    return Decision(_hash(change.agents), _hash(change.project) if is_edited else None)


def read_decisions(folder: Path) -> dict[str, Decision]:
    """The decisions by path; empty if none are stored."""
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=dict[str, Decision])
    except (FileNotFoundError, *UNREADABLE_JSON):
        return {}


def add_decisions(folder: Path, more: dict[str, Decision]) -> None:
    if more:
        replace_file(folder / _FILE, msgspec.json.encode({**read_decisions(folder), **more}))


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
