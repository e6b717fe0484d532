"""The preview of one game in Terre, spoken to as Terre's own editor does.

Its server is not ours: which files were missing only the page itself can tell, and what it keeps nobody can.
"""

import asyncio
import itertools
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from handrail.features.webgal.preview_ports import OnLook, Position, Spot, Trouble
from handrail.features.webgal.script.sync import PATH, V1, Generation, State, heard, jump, run_text

_AGAIN_AFTER = 1.0
"""A jump that was sent before the page was there is lost."""
_STAYS = 3.0


class TerreScreen:
    missing: Sequence[str] = ()
    newly_missing: Sequence[str] = ()
    is_stale = True  # what its page has loaded may have changed on the disk

    def __init__(self, host: str, address: str, on_close: Callable[["TerreScreen"], None]) -> None:
        self._host = host
        self._on_close = on_close
        self.address = self.name = address
        self._numbers = itertools.count(1)
        self._number = 0
        self._spot: Spot | None = None
        self._state: State | None = None
        self._talk: asyncio.Task[None] | None = None
        self._line: ClientConnection | None = None

    @property
    def has_page(self) -> bool:
        return self._state is not None

    def take_troubles(self) -> list[Trouble]:
        return []

    def send_to(self, spot: Spot) -> None:
        self._spot, self._number = spot, next(self._numbers)
        if self._talk is None or self._talk.done():
            self._talk = asyncio.create_task(self._listen())

    async def arrived(self, on_look: OnLook | None = None) -> Position:
        since, last, sent_at = time.monotonic(), None, 0.0
        while True:
            if on_look is not None:
                on_look()
            state, spot, now = self._state, self._spot, time.monotonic()
            is_there = state is not None and spot is not None and state.scene == self._scene()
            if state is not None and spot is not None:
                if (place := (state.scene, state.sentence)) != last:
                    last, since = place, now
                is_done = is_there and state.sentence >= spot.line
                if is_done or now - since >= _STAYS:
                    name = spot.scene if is_there else state.scene
                    return Position(
                        name, state.sentence, state.stage, has_left=not is_there, is_waiting=is_there and not is_done
                    )
            if not is_there and now - sent_at >= _AGAIN_AFTER:
                await self._send()
                sent_at = now
            await asyncio.sleep(0.02)

    async def quiet(self, missing: Collection[str]) -> None:
        """Nobody here knows what is on its way."""

    def close(self) -> None:
        self._on_close(self)
        if self._talk is not None:
            self._talk.cancel()

    async def _listen(self) -> None:
        """OSError, WebSocketException: Terre has gone; whoever waits for a state runs out of time."""
        settings: dict[str, Any] = {"max_size": 8 << 20, "proxy": None, "open_timeout": 5, "close_timeout": 1}
        with suppress(OSError, WebSocketException, TimeoutError):
            async with connect(f"ws://{self._host}{PATH}", subprotocols=[Subprotocol(V1)], **settings) as line:
                self._line = line
                async for text in line:
                    told = heard(self._generation, text)
                    if isinstance(told, State):
                        self._state = told
        self._line = None

    async def _send(self) -> None:
        line, spot = self._line, self._spot
        if line is None or spot is None:
            return
        id = f"handrail-{self._number}"
        message = (
            jump(self._generation, self._scene(), spot.line, id)
            if spot.content is None
            else run_text(self._generation, spot.content, id)
        )
        with suppress(WebSocketException):
            await line.send(message)

    @property
    def _generation(self) -> Generation:
        return "v1" if self._line is not None and self._line.subprotocol == V1 else "legacy"

    def _scene(self) -> str:
        """With unsaved text, engines say `temp`; otherwise each jump has a name of its own."""
        assert self._spot is not None
        return "temp" if self._spot.content is not None else f"{quote(self._spot.scene)}?jump={self._number}"
