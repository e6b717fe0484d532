"""The DevTools protocol over a pipe: JSON texts that end in NUL, answers by their id, events by their session.

Knows no page and no command; what a method means is its caller's business.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from handrail.ports.errors import InputOutput, Offline

Event = Callable[[str, dict[str, Any]], None]
"""Gets the method and the parameters."""


class Wire:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.WriteTransport) -> None:
        self._reader = reader
        self._writer = writer
        self._last_id = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listeners: dict[str | None, Event] = {}
        self._has_ended = False
        self._reading = asyncio.create_task(self._read())

    @property
    def has_ended(self) -> bool:
        """The browser has closed its end, or we have."""
        return self._has_ended

    def listen(self, session: str | None, on_event: Event) -> None:
        self._listeners[session] = on_event

    def forget(self, session: str) -> None:
        self._listeners.pop(session, None)

    async def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Offline: the browser has ended. InputOutput: it refuses."""
        if self._has_ended:
            raise _ended()
        told = await self._answer(self._send(method, session, params))
        if "error" in told:
            raise InputOutput(f"The browser refuses {method}: {told['error'].get('message', '')}")
        return dict(told["result"])

    def tell(self, method: str, session: str | None = None, **params: Any) -> None:
        """Without waiting for the answer."""
        if not self._has_ended:
            self._send(method, session, params)

    async def close(self) -> None:
        """A browser ends when its pipe does."""
        self._writer.close()
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading

    def _send(self, method: str, session: str | None, params: dict[str, Any]) -> int:
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._writer.write(json.dumps(message).encode() + b"\0")
        return self._last_id

    async def _answer(self, id: int) -> dict[str, Any]:
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = waiting
        try:
            return await waiting
        finally:
            del self._waiting[id]

    async def _read(self) -> None:
        try:
            while True:
                told = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                if (waiting := self._waiting.get(told.get("id", 0))) is not None:
                    if not waiting.done():
                        waiting.set_result(told)
                elif "method" in told and (listener := self._listeners.get(told.get("sessionId"))) is not None:
                    listener(told["method"], told.get("params", {}))
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._has_ended = True
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(_ended())


def _ended() -> Offline:
    return Offline("The browser has ended.", hint="Perhaps one with this profile runs already: close it first.")
