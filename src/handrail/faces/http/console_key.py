"""`<stateDir>/console.key`: the key that a person's command sends, in addition to the token, to get a console code.

Agents have the token in their configuration, but not this key. Each start makes a new one; a clean stop removes it.
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

    def matches(self, key: str | None) -> bool:
        return hmac.compare_digest((key or "").encode("utf-8", "surrogatepass"), self._key)


@contextmanager
def publish(state: Path) -> Iterator[ConsoleKey]:
    """Until left, the file contains the key, readable by its owner only."""
    key = secrets.token_urlsafe(32)
    with state_file.os_errors(state):
        replace_file(state / FILE, key.encode() + b"\n")
    try:
        yield ConsoleKey(key)
    finally:
        with suppress(OSError):  # the next start makes another
            (state / FILE).unlink()


def read(state: Path) -> str | None:
    """The key of the running server; None if there is no file."""
    key = (state_file.read(state / FILE) or b"").decode("ascii", "replace").strip()
    return key or None
