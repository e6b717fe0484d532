"""A connection to a message bus for requests of any size from many callers. Knows no app.

dbus-fast closes the connection if a message is sent while the socket is full or another message is still being sent. So
each message waits here until the one before is sent and the socket is writable.
"""

import asyncio
import os
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from dbus_fast import BusType, Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusFastError

from handrail.ports.errors import Offline

BUS = "org.freedesktop.DBus"
_BUS_PATH = "/org/freedesktop/DBus"
_IN_FLIGHT = 128
"""With more, dbus-fast mistakes a full socket for a broken one."""

_HUNG_UP = select.POLLHUP | select.POLLERR | select.POLLNVAL

OwnerChanged = Callable[[str], None]


class SessionLine:
    def __init__(self, bus: MessageBus, on_owner_changed: OwnerChanged) -> None:
        self._bus = bus
        self._on_owner_changed = on_owner_changed
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._turn = asyncio.Lock()
        self._leaving: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        assert bus._sock is not None  # since it is connected
        self._socket = bus._sock
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLOUT)
        self._places = asyncio.Semaphore(_IN_FLIGHT)
        self._loop = asyncio.get_running_loop()
        bus.add_message_handler(self._receive)
        self._end = self._loop.create_task(self._fail_at_the_end())

    @classmethod
    async def open(cls, kind: str, on_owner_changed: OwnerChanged) -> "SessionLine":
        """Offline: there is no such bus here."""
        try:
            bus = (
                MessageBus(bus_type=BusType.SYSTEM)
                if kind == "system"
                else MessageBus(_users_bus(), bus_type=BusType.SESSION)
            )
            return cls(await bus.connect(), on_owner_changed)
        except (OSError, EOFError, KeyError, DBusFastError) as error:
            raise Offline(
                f"There is no {kind} bus to be reached: {error}.",
                hint="Apps are called over D-Bus in a desktop session; DBUS_SESSION_BUS_ADDRESS names its bus.",
            ) from None

    def is_usable(self) -> bool:
        return asyncio.get_running_loop() is self._loop and not self._has_hung_up()

    async def ask_bus(self, member: str, signature: str = "", *values: Any) -> Message:
        return await self.ask(BUS, _BUS_PATH, BUS, member, signature, *values)

    async def ask(
        self, destination: str, path: str, interface: str, member: str, signature: str = "", *values: Any
    ) -> Message:
        """The answer or the error message. Offline if the bus is gone."""
        message = Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(values),
            flags=MessageFlag.NO_AUTOSTART if destination.startswith(":") else MessageFlag.NONE,
            serial=self._bus.next_serial(),
        )
        async with self._places:
            answer: asyncio.Future[Message] = self._loop.create_future()
            self._waiting[message.serial] = answer
            try:
                await self._send(message)
                return await answer
            finally:
                del self._waiting[message.serial]

    async def tell(self, destination: str, path: str, interface: str, member: str, text: str) -> None:
        """Sends a message without waiting for an answer; a lost connection is ignored."""
        message = Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature="s",
            body=[text],
            flags=MessageFlag.NO_REPLY_EXPECTED | MessageFlag.NO_AUTOSTART,
            serial=self._bus.next_serial(),
        )
        with suppress(Offline):
            await self._send(message)

    def close(self) -> None:
        self._bus.disconnect()

    async def _send(self, message: Message) -> None:
        """A message is sent to its end even if its caller is cancelled: half of one would break the connection."""
        async with self._turn:
            while not self._has_hung_up():
                if self._leaving is not None and not self._leaving.done():
                    await asyncio.wait([self._leaving])
                elif not self._poll.poll(0):
                    await self._until_room()
                else:
                    break
            else:
                raise _gone()
            leaving = self._leaving = self._bus.send(message)
        try:
            await asyncio.shield(leaving)
        except (OSError, EOFError) as error:
            raise _gone() from error

    def _has_hung_up(self) -> bool:
        """Asks the socket itself, because dbus-fast does not report failed writes to a closed bus."""
        if self._bus.connected and any(events & _HUNG_UP for _, events in self._poll.poll(0)):
            self._bus.disconnect()
        return not self._bus.connected

    async def _until_room(self) -> None:
        """Only while dbus-fast is not sending: a socket can have one writer callback."""
        self._room = self._loop.create_future()
        self._loop.add_writer(self._socket, self._tell_room)
        try:
            await self._room
        finally:
            self._room = None
            if self._socket.fileno() >= 0:
                self._loop.remove_writer(self._socket)

    def _tell_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def _receive(self, message: Message) -> bool:
        kind = message.message_type
        if kind is MessageType.METHOD_RETURN or kind is MessageType.ERROR:
            waiting = self._waiting.get(message.reply_serial)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            return True
        if kind is MessageType.SIGNAL and message.sender == BUS and message.member == "NameOwnerChanged":
            self._on_owner_changed(message.body[0])
        return kind is MessageType.SIGNAL

    async def _fail_at_the_end(self) -> None:
        with suppress(Exception):  # however it ended, it has
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        self._tell_room()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(_gone())


def _users_bus() -> str | None:
    """The usual address of the session bus, if the environment names none."""
    if os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    place = f"{os.environ.get('XDG_RUNTIME_DIR') or f'/run/user/{os.getuid()}'}/bus"
    return f"unix:path={quote(place)}" if os.path.exists(place) else None


def _gone() -> Offline:
    return Offline("The connection to the message bus has ended.")
