"""Which models a server with OpenAI's format offers, as it says itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from handrail.ports.secrets import Secret

_SECONDS = 2.0
_KEPT_SECONDS = 30.0
_MOST = 200
_LONGEST_ANSWER = 4 * 1024 * 1024


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class ServerModels:
    """Asks a server at most every half minute."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Sequence[str]]] = {}
        self._asking = asyncio.Lock()

    async def of(self, base_url: str, key: Secret | None) -> Sequence[str]:
        """Nothing if the server doesn't say."""
        async with self._asking:
            at, names = self._found.get(base_url, (0.0, ()))
            if base_url not in self._found or time.monotonic() - at > _KEPT_SECONDS:
                names = await _ask(base_url, key)
                self._found[base_url] = time.monotonic(), names
            return names


async def _ask(base_url: str, key: Secret | None) -> Sequence[str]:
    import httpx2

    headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
    try:
        async with httpx2.AsyncClient(timeout=_SECONDS) as http:
            answer = await http.get(f"{base_url.rstrip('/')}/models", headers=headers)
        if answer.status_code != 200 or len(answer.content) > _LONGEST_ANSWER:
            return ()
        found = msgspec.json.decode(answer.content, type=_Models)
    except (httpx2.HTTPError, msgspec.DecodeError, ValueError):
        return ()
    return [model.id for model in found.data if model.id.isprintable()][:_MOST]
