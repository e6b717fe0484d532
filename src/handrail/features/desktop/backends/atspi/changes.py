"""What an app reports while somebody waits. Apps tell only what somebody has asked the registry for; that is asked on a
connection of its own, so hanging up takes everything back, however the waiting ends.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from dbus_fast import Message

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.connection import Connection, Lost, Refused, Silent

_PATIENCE = 1.0
_EVENTS = (
    "object:children-changed",
    "object:state-changed",
    "object:property-change",
    "object:text-changed",
    "object:bounds-changed",
    "object:visible-data-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "object:model-changed",
    "document:load-complete",
    "window:",
)


class Flag:
    """The port `Changes`: raised by the app, taken down by who looks."""

    def __init__(self) -> None:
        self._raised = asyncio.Event()

    def wave(self, _message: Message | None = None) -> None:
        self._raised.set()

    async def next(self, within: float) -> bool:
        try:
            async with asyncio.timeout(within):
                await self._raised.wait()
        except TimeoutError:
            return False
        self._raised.clear()
        return True


@asynccontextmanager
async def reports(bus: AccessibilityBus, app: str) -> AsyncIterator[Flag]:
    """An app that ends, and a bus that is lost, count as changes."""
    flag = Flag()
    connection = await bus.another_connection()
    try:
        connection.on_signal = flag.wave
        connection.on_lost = flag.wave
        # Where the registry can't be asked, looking again now and then is what remains.
        with suppress(Lost, Silent):
            await _ask_for_reports(connection, app)
        yield flag
    finally:
        connection.close()


async def _ask_for_reports(connection: Connection, app: str) -> None:
    own = f"type='signal',sender='{app}'"
    end = f"type='signal',sender='{calls.BUS}',member='NameOwnerChanged',arg0='{app}'"
    questions = [(calls.BUS_PATH, calls.add_match(rule)) for rule in (own, end)]
    await connection.ask_all(calls.BUS, questions, _PATIENCE)
    for register in (calls.register, calls.register_as_before):
        questions = [(calls.REGISTRY_PATH, register(event, app)) for event in _EVENTS]
        answers = await connection.ask_all(calls.REGISTRY, questions, _PATIENCE)
        if not any(isinstance(answer, Refused) for answer in answers):
            break
    # The registry tells the app before it answers us: who then answers us knows of it.
    await connection.ask(app, calls.ROOT_PATH, calls.NAME, _PATIENCE)
