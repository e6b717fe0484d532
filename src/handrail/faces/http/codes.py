"""One-time codes: each starts one session, once, within ten minutes. They are only kept in memory."""

import secrets
import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256

from handrail.ports.errors import Failure

LIFETIME = 600.0
MOST_CODES = 16
MOST_FAILURES = 10
_WINDOW = 60.0
_MOST_SOURCES = 256


class WrongCode(Failure):
    """The code is unknown, used or expired; the answer doesn't say which."""


class TooManyCodes(Failure):
    """This source has tried too many codes. For a minute, it can't use codes that were made earlier."""

    retryable = True


class Codes:
    """`clock` is monotonic, in seconds; `source` names the command that makes another code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, source: str = "`handrail open`") -> None:
        self._clock = clock
        self._source = source
        self._deadlines: dict[bytes, float] = {}
        self._failures: dict[str, deque[float]] = {}

    def make(self, prefix: str = "") -> str:
        """Makes a code that begins with `prefix`. If too many are unused, the oldest is dropped."""
        while len(self._deadlines) >= MOST_CODES:
            del self._deadlines[next(iter(self._deadlines))]
        code = prefix + secrets.token_urlsafe(24)
        self._deadlines[_fingerprint(code)] = self._clock() + LIFETIME
        return code

    def use(self, code: str, by: str) -> None:
        """`by` is the source that tries the code. Wrong codes only block their own source, and only for older codes.

        So no one can lock a person out by trying codes in their name: a new code always works. A code has 192
        random bits, so it can't be guessed.
        """
        now, key = self._clock(), _fingerprint(code)
        deadline, failures = self._deadlines.get(key, now), self._failures.get(by, deque())
        is_blocked = len(failures) == MOST_FAILURES and now - failures[0] < _WINDOW
        if is_blocked and deadline - LIFETIME <= failures[-1]:
            raise TooManyCodes("Too many wrong codes were tried.", hint=f"Wait a minute, or {self._source} again.")
        self._deadlines.pop(key, None)
        if now >= deadline:
            self._note_failure(by, now)
            raise WrongCode("This code is wrong, used or expired.", hint=f"Get another one with {self._source}.")

    def _note_failure(self, by: str, now: float) -> None:
        """Records a failure. If there are too many sources, the one that failed longest ago is dropped."""
        failures = self._failures.pop(by, None) or deque(maxlen=MOST_FAILURES)
        failures.append(now)
        self._failures[by] = failures
        if len(self._failures) > _MOST_SOURCES:
            del self._failures[next(iter(self._failures))]


def _fingerprint(code: str) -> bytes:
    """Codes are looked up by hash, so that timing reveals nothing about valid codes."""
    return sha256(code.encode("utf-8", "surrogatepass")).digest()
