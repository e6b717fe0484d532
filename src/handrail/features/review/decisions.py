"""Changes of an agent's that a person has decided about without taking them, so that they aren't shown again."""

from hashlib import sha256
from pathlib import Path

import msgspec

from handrail.features.review.item import FileChange
from handrail.ports.atomic_file import replace_file

_FILE = "settled.json"


class Decision(msgspec.Struct, frozen=True):
    """The agent's version, and the person's before they edited it: when that is back, the question is open again."""

    agents: str
    before: str | None = None

    def covers(self, change: FileChange) -> bool:
        return self.agents == _hash(change.agents) and self.before != _hash(change.project)


def decision_about(change: FileChange, *, is_edited: bool) -> Decision:
    return Decision(_hash(change.agents), _hash(change.project) if is_edited else None)


def read_decisions(folder: Path) -> dict[str, Decision]:
    """By path; empty where nothing can be read."""
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=dict[str, Decision])
    except (FileNotFoundError, msgspec.MsgspecError):
        return {}


def add_decisions(folder: Path, more: dict[str, Decision]) -> None:
    if more:
        replace_file(folder / _FILE, msgspec.json.encode({**read_decisions(folder), **more}))


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
