"""An event loop that does what is ready in any order, the same for the same seed, and says so when everybody waits."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any


class EverybodyWaits(Exception):
    """Nothing is ready, and no clock will change that."""


class ShuffledLoop(asyncio.SelectorEventLoop):
    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def _run_once(self) -> None:
        ready, scheduled = vars(self)["_ready"], vars(self)["_scheduled"]
        if not ready and not scheduled:
            raise EverybodyWaits
        waiting = list(ready)
        self._chance.shuffle(waiting)
        ready.clear()
        ready.extend(waiting)
        super()._run_once()  # type: ignore[misc]


def run(seed: int, work: Callable[[random.Random], Coroutine[Any, Any, None]]) -> None:
    """One schedule of the work."""
    chance = random.Random(seed)
    loop = ShuffledLoop(chance)
    try:
        loop.run_until_complete(work(chance))
    except EverybodyWaits:
        raise AssertionError(f"with seed {seed} everybody waits for somebody") from None
    finally:
        loop.close()
