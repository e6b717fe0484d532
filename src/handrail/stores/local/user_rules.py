"""The user's own rules in `<stateDir>/config.toml`: read again when the file changes, added to at its end."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from handrail.kernel.settings import Settings, load_one
from handrail.ports.policy import Rule
from handrail.ports.settings import CONFIG_FILE
from handrail.ports.waiting import settled
from handrail.stores.local import locks
from handrail.stores.local.private_file import open_private, write_whole


class UserRules:
    def __init__(self, state: Path) -> None:
        self._state = state
        self._file = state / CONFIG_FILE
        self.where = str(self._file)

    def current(self) -> Sequence[Rule]:
        """BrokenSettings when somebody has broken the file. Blocks."""
        return load_one(Settings, self._state, environ={}).rules

    async def allow(self, remark: str, **members: str) -> None:
        """Adds a rule that a person can read and delete; members are tool, effect, path, host, app."""
        await settled(lambda: self._add(remark, members))

    def _add(self, remark: str, members: Mapping[str, str]) -> None:
        lines = ["", f"# {remark}", "[[rules]]", *_spelled({**members, "decision": "allow"}), ""]
        with locks.exclusive(self._file.with_name(f"{CONFIG_FILE}.lock")):
            descriptor = open_private(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                write_whole(descriptor, "\n".join(lines).encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _spelled(members: Mapping[str, str]) -> list[str]:
    """A JSON string is a TOML string, control characters and all."""
    return [f"{name} = {json.dumps(value, ensure_ascii=True)}" for name, value in members.items()]
