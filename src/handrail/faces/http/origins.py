"""Which web pages may talk to this server, and under which names it knows itself."""

import re
from dataclasses import dataclass
from typing import Self

from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import InvalidParams

SETTING = "MIMO_CORS_ORIGIN"
_DEFAULT = frozenset({"http://localhost:3000", "http://127.0.0.1:3000"})
_FOR_PAGES = ("/api/", "/socket.io/")
_FOR_EXTENSION = (*_FOR_PAGES, "/health")
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


def own_hosts(port: int) -> frozenset[str]:
    """Every Host header that means this server."""
    with_port = {f"{name}:{port}" for name in _NAMES}
    return frozenset(with_port | set(_NAMES) if port == 80 else with_port)


@dataclass(frozen=True, slots=True)
class Origins:
    """Our own and the listed ones everywhere; contract 2's default ones, when none are listed, where pages call.

    Our extension's exact origin is always allowed where it calls.
    """

    own: frozenset[str]
    listed: frozenset[str]
    api: frozenset[str]

    @classmethod
    def of(cls, port: int, setting: str | None) -> Self:
        own = frozenset(f"http://{host}" for host in own_hosts(port))
        if setting is None:
            return cls(own, frozenset(), _DEFAULT)
        return cls(own, frozenset(_parsed(item) for item in setting.split(",") if item.strip()), frozenset())

    def allow(self, origin: str, path: str) -> bool:
        if origin == EXTENSION_ORIGIN:
            return path.startswith(_FOR_EXTENSION)
        return origin in self.own or origin in self.listed or (origin in self.api and path.startswith(_FOR_PAGES))

    def is_own(self, origin: str) -> bool:
        """True for the pages that this server serves itself."""
        return origin in self.own


def _parsed(item: str) -> str:
    origin = item.strip().lower().removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise InvalidParams(
            f"{SETTING} lists {item.strip()!r}, which is no origin.",
            hint="List whole origins, such as http://localhost:3000, separated by commas; there are no wildcards.",
        )
    return origin
