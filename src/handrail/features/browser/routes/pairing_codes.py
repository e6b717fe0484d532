"""One-time codes that pair a browser, with this server or with all servers of a team."""

import secrets
from typing import Protocol

from handrail.faces.http.codes import Codes
from handrail.ports.browser_store import BrowserPeers


class PairingCodes(Protocol):
    async def make(self, prefix: str = "") -> str: ...

    async def use(self, code: str, by: str) -> None:
        """Raises WrongCode or TooManyCodes."""
        ...


def _codes() -> Codes:
    return Codes(source="the console, or `handrail extension pair`,")


class LocalCodes:
    def __init__(self) -> None:
        self._codes = _codes()

    async def make(self, prefix: str = "") -> str:
        return self._codes.make(prefix)

    async def use(self, code: str, by: str) -> None:
        self._codes.use(code, by)


class SharedCodes:
    def __init__(self, peers: BrowserPeers) -> None:
        self._peers = peers
        self._wrong = _codes()
        """Contains no codes: it only counts and refuses wrong ones."""

    async def make(self, prefix: str = "") -> str:
        code = prefix + secrets.token_urlsafe(24)
        await self._peers.make_code(code)
        return code

    async def use(self, code: str, by: str) -> None:
        if not await self._peers.use_code(code):
            self._wrong.use(code, by)
