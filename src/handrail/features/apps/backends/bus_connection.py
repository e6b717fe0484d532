"""A connection to a message bus, for requests of any size from many callers.

dbus-fast closes the connection if a message is sent while the socket is full or another message is still being sent. So
each message waits here until the previous one is sent and the socket is writable.
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


class BusConnection:
    def __init__(self, bus: MessageBus, on_owner_changed: OwnerChanged) -> None:
        self._bus = bus
        self._on_owner_changed = on_owner_changed
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._send_lock = asyncio.Lock()
        self._sending: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        assert bus._sock is not None  # because it is connected
        self._socket = bus._sock
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLOUT)
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._loop = asyncio.get_running_loop()
        bus.add_message_handler(self._receive)
        self._end = self._loop.create_task(self._fail_on_disconnect())

    @classmethod
    async def open(cls, kind: str, on_owner_changed: OwnerChanged) -> "BusConnection":
        """Offline: there is no such bus."""
        try:
            bus = (
                MessageBus(bus_type=BusType.SYSTEM)
                if kind == "system"
                else MessageBus(_users_bus(), bus_type=BusType.SESSION)
            )
            return cls(await bus.connect(), on_owner_changed)
        except (OSError, EOFError, KeyError, DBusFastError) as error:
            raise Offline(
                f"The {kind} bus can't be reached: {error}.",
                hint="Apps are called over D-Bus in a desktop session; DBUS_SESSION_BUS_ADDRESS names its bus.",
            ) from None

    def is_usable(self) -> bool:
        return asyncio.get_running_loop() is self._loop and not self._has_hung_up()

    async def ask_bus(self, member: str, signature: str = "", *values: Any) -> Message:
        return await self.ask(BUS, _BUS_PATH, BUS, member, signature, *values)

    async def ask(
        self, destination: str, path: str, interface: str, member: str, signature: str = "", *values: Any
    ) -> Message:
        """Returns the answer or the error message. Offline if the bus is gone."""
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
        async with self._slots:
            answer: asyncio.Future[Message] = self._loop.create_future()
            self._waiting[message.serial] = answer
            try:
                await self._send(message)
                return await answer
            finally:
                del self._waiting[message.serial]

    async def tell(self, destination: str, path: str, interface: str, member: str, text: str) -> None:
        """Sends a message without waiting for an answer. A lost connection is ignored."""
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
        """Sends the whole message even if its caller is cancelled: half a message would break the connection."""
        async with self._send_lock:
            while not self._has_hung_up():
                if self._sending is not None and not self._sending.done():
                    await asyncio.wait([self._sending])
                elif not self._poll.poll(0):
                    await self._wait_until_writable()
                else:
                    break
            else:
                raise _gone()
            sending = self._sending = self._bus.send(message)
        try:
            await asyncio.shield(sending)
        except (OSError, EOFError) as error:
            raise _gone() from error

    def _has_hung_up(self) -> bool:
        """Checks the socket itself, because dbus-fast doesn't report failed writes to a closed bus."""
        if self._bus.connected and any(events & _HUNG_UP for _, events in self._poll.poll(0)):
            self._bus.disconnect()
        return not self._bus.connected

    async def _wait_until_writable(self) -> None:
        """Waits for room in the socket. Only while dbus-fast isn't sending: a socket has only one writer callback."""
        self._writable = self._loop.create_future()
        self._loop.add_writer(self._socket, self._signal_writable)
        try:
            await self._writable
        finally:
            self._writable = None
            if self._socket.fileno() >= 0:
                self._loop.remove_writer(self._socket)

    def _signal_writable(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)

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

    async def _fail_on_disconnect(self) -> None:
        with suppress(Exception):  # the reason doesn't matter
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        self._signal_writable()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(_gone())


def _users_bus() -> str | None:
    """The session bus's usual address, if the environment doesn't name one."""
    if os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    place = f"{os.environ.get('XDG_RUNTIME_DIR') or f'/run/user/{os.getuid()}'}/bus"
    return f"unix:path={quote(place)}" if os.path.exists(place) else None


def _gone() -> Offline:
    return Offline("The connection to the message bus has ended.")
