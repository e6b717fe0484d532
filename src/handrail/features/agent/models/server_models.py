"""Asks a server with OpenAI's format which models it has."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from handrail.ports.unreadable_json import UNREADABLE_JSON

if TYPE_CHECKING:
    from handrail.ports.secrets import Secret

_TIMEOUT_SECONDS = 2.0
_CACHE_SECONDS = 30.0
_MAX_MODELS = 200
_MAX_ANSWER = 4 * 1024 * 1024


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class ServerModels:
    """Keeps each server's answer for half a minute."""

    def __init__(self) -> None:
        self._cache: dict[str, tuple[float, Sequence[str]]] = {}
        self._asking = asyncio.Lock()

    async def fetch(self, base_url: str, key: Secret | None) -> Sequence[str]:
        """The models' names; empty if the server doesn't list them."""
        async with self._asking:
            fetched_at, names = self._cache.get(base_url, (0.0, ()))
            if base_url not in self._cache or time.monotonic() - fetched_at > _CACHE_SECONDS:
                names = await _ask(base_url, key)
                self._cache[base_url] = time.monotonic(), names
            return names


async def _ask(base_url: str, key: Secret | None) -> Sequence[str]:
    import httpx2

    headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
    try:
        async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS) as http:
            answer = await http.get(f"{base_url.rstrip('/')}/models", headers=headers)
        if answer.status_code != 200 or len(answer.content) > _MAX_ANSWER:
            return ()
        models = msgspec.json.decode(answer.content, type=_Models)
    except (httpx2.HTTPError, ValueError, *UNREADABLE_JSON):
        return ()
    return [model.id for model in models.data if model.id.isprintable()][:_MAX_MODELS]
