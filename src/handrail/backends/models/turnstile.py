"""Making a request takes milliseconds of the event loop: of many that come at once, one after the other gets in."""

import asyncio


class Turnstile:
    """After each it rests for as long as that one took, so that half of the time is left for words on their way."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def pass_through(self) -> None:
        await self._lock.acquire()
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_soon(lambda: loop.call_later(loop.time() - began, self._lock.release))
