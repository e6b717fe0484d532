"""One-time codes: each opens one session, once, within ten minutes. They live in this process's memory alone."""

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
    """Never made, used before, or too old: which of them is not told."""


class TooManyCodes(Failure):
    """This source tries codes. Until the window has passed, codes that were made before are refused to it."""

    retryable = True


class Codes:
    """`clock` gives seconds that only go forwards; `source` is where a person gets another code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, source: str = "`handrail open`") -> None:
        self._clock = clock
        self._source = source
        self._deadlines: dict[bytes, float] = {}
        self._failures: dict[str, deque[float]] = {}

    def make(self, prefix: str = "") -> str:
        """Of too many that were not used, the oldest goes. The `prefix` is part of the code."""
        while len(self._deadlines) >= MOST_CODES:
            del self._deadlines[next(iter(self._deadlines))]
        code = prefix + secrets.token_urlsafe(24)
        self._deadlines[_fingerprint(code)] = self._clock() + LIFETIME
        return code

    def use(self, code: str, by: str) -> None:
        """`by` is the source that tries it. Wrong codes shut out their source alone, and only from older codes.

        So nobody can keep a person out by trying codes in their name: a new code always counts. A code has 192
        random bits, so nobody finds one by trying.
        """
        now, key = self._clock(), _fingerprint(code)
        deadline, failures = self._deadlines.get(key, now), self._failures.get(by, deque())
        is_shut_out = len(failures) == MOST_FAILURES and now - failures[0] < _WINDOW
        if is_shut_out and deadline - LIFETIME <= failures[-1]:
            raise TooManyCodes("Too many wrong codes were tried.", hint=f"Wait a minute, or {self._source} again.")
        self._deadlines.pop(key, None)
        if now >= deadline:
            self._note_failure(by, now)
            raise WrongCode("This code is wrong, was used before or is too old.", hint=f"{self._source} makes another.")

    def _note_failure(self, by: str, now: float) -> None:
        """Of too many sources, those that failed longest ago go."""
        failures = self._failures.pop(by, None) or deque(maxlen=MOST_FAILURES)
        failures.append(now)
        self._failures[by] = failures
        if len(self._failures) > _MOST_SOURCES:
            del self._failures[next(iter(self._failures))]


def _fingerprint(code: str) -> bytes:
    """Looked up by its hash, so that the time this takes tells nothing of the codes there are."""
    return sha256(code.encode("utf-8", "surrogatepass")).digest()
