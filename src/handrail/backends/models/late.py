"""A model that is loaded when it is first asked: what a provider needs takes seconds, and nobody else waits for it."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Sequence

from handrail.contract.model import Delta, Model, Reply, ToolOffer, Turn


class LateModel:
    def __init__(self, name: str, load: Callable[[], Model]) -> None:
        self.name = name
        self._load = load
        self._loading: asyncio.Task[Model] | None = None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Delta | Reply]:
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(_loaded, self._load))
        try:
            model = await asyncio.shield(self._loading)
        except Exception:
            self._loading = None  # the next one tries again
            raise
        async for piece in model.stream(instructions, turns, tools):
            yield piece


def _loaded(load: Callable[[], Model]) -> Model:
    """What a library brings stays for good: a collector that walks through it again stops all words on their way."""
    modules = len(sys.modules)
    model = load()
    if len(sys.modules) > modules:
        gc.freeze()
    return model
