"""A person who uses the program under test: sees pending questions and answers with `handrail prompts`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE, until

HANDRAIL = str(Path(sys.executable).with_name("handrail"))


def without_presence(state: Path) -> None:
    """Tests have no terminal that counts as a person's, so far-reaching answers need no proof here."""
    config = state / "config.toml"
    before = config.read_text() if config.exists() else ""
    if "presence =" not in before:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        config.write_text(f'presence = "never"\n{before}')


class Person:
    def __init__(self, state: Path) -> None:
        self._state = state

    def pending(self) -> list[dict[str, Any]]:
        """Returns the pending entries, read only from the log like another program does."""
        waiting: dict[str, dict[str, Any]] = {}
        log = self._state / "ui-prompts.jsonl"
        whole, _, _ = (log.read_bytes() if log.exists() else b"").rpartition(
            b"\n"
        )  # another program may be writing a line
        for entry in map(json.loads, filter(None, whole.split(b"\n"))):
            if entry["action"] == "request":
                waiting[entry["requestId"]] = entry
            else:
                waiting.pop(entry["requestId"], None)
        return list(waiting.values())

    def sees(self) -> dict[str, Any]:
        """Waits for a pending entry and returns the oldest."""
        return until(self.pending, "nothing was asked")[0]

    def answers(self, *words: str) -> dict[str, Any]:
        """Answers with the words of `handrail prompts answer ID …`; returns the question."""
        question = self.sees()
        if {"rule", "app"} & set(words):
            without_presence(self._state)
        result = subprocess.run(
            [HANDRAIL, "prompts", "answer", question["requestId"], *words, "--state", str(self._state)],
            capture_output=True,
            env={**os.environ, "NO_COLOR": "1"},
            timeout=PATIENCE,
        )
        assert result.returncode == 0, result.stderr.decode()
        return question
