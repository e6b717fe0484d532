"""A trial's results in one run of pytest, and the files that hold them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OUTCOME = "outcome.json"
TRIALS = "trials.json"


@dataclass
class Outcome:
    passed: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    tried: int = 0
    """Attempts that the tests counted (`effort.count`); a test that counts none adds one."""
    seconds: float = 0.0
    """Sum over its tests, two of which run at a time."""
    selected: int = 0
    """How many tests it has. Fewer have a result if the time was over."""

    def plus(self, other: "Outcome") -> "Outcome":
        passed, failed = self.passed | other.passed, self.failed | other.failed
        seconds, selected = self.seconds + other.seconds, self.selected + other.selected
        return Outcome(passed, failed, self.tried + other.tried, seconds, selected)

    def to_json(self) -> Mapping[str, Any]:
        return {
            "passed": sorted(self.passed - self.failed),
            "failed": sorted(self.failed),
            "tried": self.tried,
            "seconds": self.seconds,
        }


def from_json(fields: Mapping[str, Any]) -> Outcome:
    return Outcome(set(fields["passed"]), set(fields["failed"]), fields["tried"], fields["seconds"])


def read(folder: Path) -> dict[str, Outcome]:
    """Includes trials without any result."""
    outcomes = {name: from_json(fields) for name, fields in _read(folder / OUTCOME, {}).items()}
    for name, selected in _read(folder / TRIALS, {}).items():
        outcomes.setdefault(name, Outcome()).selected = selected
    return outcomes


def _read(file: Path, otherwise: Any) -> Any:
    return json.loads(file.read_text()) if file.exists() else otherwise
