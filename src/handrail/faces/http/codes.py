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


class WrongCode(Failure):
    """Never made, used before, or too old: which of them is not told."""


class TooManyCodes(Failure):
    """Somebody tries codes. Until the window has passed, right ones are refused as well."""

    retryable = True


class Codes:
    """`clock` gives seconds that only go forwards; `source` is where a person gets another code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, source: str = "`handrail open`") -> None:
        self._clock = clock
        self._source = source
        self._deadlines: dict[bytes, float] = {}
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)

    def make(self) -> str:
        """Of too many that nobody used, the oldest goes."""
        while len(self._deadlines) >= MOST_CODES:
            del self._deadlines[next(iter(self._deadlines))]
        code = secrets.token_urlsafe(24)
        self._deadlines[_fingerprint(code)] = self._clock() + LIFETIME
        return code

    def use(self, code: str) -> None:
        now = self._clock()
        if len(self._failures) == MOST_FAILURES and now - self._failures[0] < _WINDOW:
            raise TooManyCodes("Too many wrong codes were tried.", hint=f"Wait a minute, then {self._source} again.")
        deadline = self._deadlines.pop(_fingerprint(code), None)
        if deadline is None or now >= deadline:
            self._failures.append(now)
            raise WrongCode("This code is wrong, was used before or is too old.", hint=f"{self._source} makes another.")


def _fingerprint(code: str) -> bytes:
    """Looked up by its hash, so that the time this takes tells nothing of the codes there are."""
    return sha256(code.encode("utf-8", "surrogatepass")).digest()
