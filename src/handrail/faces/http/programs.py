"""Which programs came with the server's token, and when last: so that a person who renews it knows whom to tell.

Kept in this process's memory alone, since its start. The names are the programs' own claims.
"""

import re
import time
from collections.abc import Callable, Mapping

from starlette.types import Scope

from handrail.faces.http.headers import header

MOST_PROGRAMS = 50
_PRODUCT = re.compile(r"[A-Za-z0-9._-]{1,40}(?:/[A-Za-z0-9._-]{1,20})?")


class Programs:
    """`clock` gives seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._last_seen: dict[str, float] = {}

    def note(self, name: str) -> None:
        self._last_seen.pop(name, None)  # to the end: of too many, those longest silent go
        self._last_seen[name] = self._clock()
        if len(self._last_seen) > MOST_PROGRAMS:
            del self._last_seen[next(iter(self._last_seen))]

    @property
    def last_seen(self) -> Mapping[str, float]:
        """The one that came last is the first."""
        return dict(reversed(self._last_seen.items()))

    def forget(self) -> None:
        """Who is told a new token has to show it."""
        self._last_seen.clear()


def program_name(scope: Scope) -> str:
    """The client's own claim; that it has the token is all that is known about it."""
    named = _PRODUCT.match(header(scope, b"user-agent") or "")
    return named.group() if named else "unknown"
