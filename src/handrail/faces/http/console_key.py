"""`<stateDir>/console.key`: what a person's own command shows, beside the token, to get a code for the console.

Agents keep the token in their configuration; this key is in none. Each start makes another, a clean stop takes it away.
"""

import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handrail.faces.http import state_file
from handrail.ports.atomic_file import replace_file

FILE = "console.key"
HEADER = "x-handrail-console-key"


class ConsoleKey:
    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def is_right(self, given: str | None) -> bool:
        return hmac.compare_digest((given or "").encode("utf-8", "surrogatepass"), self._key)


@contextmanager
def published(state: Path) -> Iterator[ConsoleKey]:
    """While inside, the file holds the key for its owner alone."""
    key = secrets.token_urlsafe(32)
    with state_file.spelled(state):
        replace_file(state / FILE, key.encode() + b"\n")
    try:
        yield ConsoleKey(key)
    finally:
        with suppress(OSError):  # the next start makes another
            (state / FILE).unlink()


def read(state: Path) -> str | None:
    """None where no server has left one."""
    found = (state_file.read(state / FILE) or b"").decode("ascii", "replace").strip()
    return found or None
