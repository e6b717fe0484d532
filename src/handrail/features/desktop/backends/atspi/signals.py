"""Subscribes to the signals with which apps report changes, and counts them."""

from contextlib import suppress

from dbus_fast import Message

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Connection, ConnectionLost, NoAnswer, Refused

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


async def ask_for_signals(connection: Connection, app: str) -> None:
    """Subscribes to an app's signals. If the registry can't be reached, no signals will arrive."""
    with suppress(ConnectionLost, NoAnswer):
        await _ask(connection, app)


async def _ask(connection: Connection, app: str) -> None:
    own = f"type='signal',sender='{app}'"
    end = f"type='signal',sender='{calls.BUS}',member='NameOwnerChanged',arg0='{app}'"
    questions = [(calls.BUS_PATH, calls.add_match(rule)) for rule in (own, end)]
    await connection.ask_all(calls.BUS, questions, _PATIENCE)
    for register in (calls.register, calls.register_old):
        questions = [(calls.REGISTRY_PATH, register(event, app)) for event in _EVENTS]
        answers = await connection.ask_all(calls.REGISTRY, questions, _PATIENCE)
        if not any(isinstance(answer, Refused) for answer in answers):
            break
    # The registry notifies the app before it answers us, so an app that answers now knows of the subscription.
    await connection.ask(app, calls.ROOT_PATH, calls.NAME, _PATIENCE)


class ChangeCounter:
    """Counts the changes that apps report: while the number stays the same, nothing has changed."""

    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus
        self._watched: dict[str, _WatchedApp] = {}

    async def count_for(self, app: str) -> int:
        handle = self._bus.handle(Ref(app, calls.ROOT_PATH))
        watched = self._watched.get(handle)
        if watched is None or watched.connection.is_closed:
            count = 0 if watched is None else watched.count + 1
            watched = self._watched[handle] = _WatchedApp(await self._bus.another_connection(), count)
            await ask_for_signals(watched.connection, app)
        try:
            # signals that the app sent before this answer have arrived as well
            await watched.connection.ask(app, calls.ROOT_PATH, calls.NAME, _PATIENCE)
        except (ConnectionLost, NoAnswer):
            watched.count += 1
        return watched.count

    def active(self, parent: Ref) -> Ref | None:
        """Returns the child that the parent last reported as its active one."""
        watched = self._watched.get(self._bus.handle(Ref(parent.name, calls.ROOT_PATH)))
        return None if watched is None else watched.active.get(parent.path)

    def close(self) -> None:
        for watched in self._watched.values():
            watched.connection.close()


class _WatchedApp:
    def __init__(self, connection: Connection, count: int) -> None:
        self.connection = connection
        self.count = count
        self.active: dict[str, Ref] = {}
        connection.on_signal = self._on_signal

    def _on_signal(self, message: Message) -> None:
        self.count += 1
        if message.member == "ActiveDescendantChanged":
            self.active[message.path or ""] = Ref(*message.body[3].value)
        if message.member == "NameOwnerChanged":
            self.connection.close()
