"""Serves the app on the session bus: `com.aai.Executor.Execute(s) → s` under the app's own name.

`Cancel(s)` with a request_id cancels a request of the same sender.

Messages are sent one at a time, when the socket has room: dbus-fast gives the connection up when the socket is full, as
after a few large replies.
"""

import asyncio
import select
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from dbus_fast import BusType, DBusError, ErrorType, Message, MessageFlag, MessageType, NameFlag, RequestNameReply
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusFastError

from handrail.aai.envelope import INTERNAL_ERROR, failure, id_of
from handrail.aai.serving import Answer, CantServe, Workload, first_of, stop_signals

INTERFACE = "com.aai.Executor"
PATH = "/com/aai/Executor"
_LINGER = 0.2
_FREEDESKTOP = "org.freedesktop.DBus"
_DOCTYPE = (
    '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
    '"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">\n'
)
_OURS = (
    f'<interface name="{INTERFACE}">'
    '<method name="Execute"><arg name="request" type="s" direction="in"/>'
    '<arg name="response" type="s" direction="out"/></method>'
    '<method name="Cancel"><arg name="request_id" type="s" direction="in"/></method></interface>'
)


async def serve(name: str, answer: Answer, *, idle: float | None) -> None:
    """Serves until it is stopped, has been idle for long enough, or the session has ended."""
    bus = await _connected()
    workload = Workload()
    bus.add_message_handler(_Door(bus, answer, workload).receive)
    try:
        async with stop_signals() as stop:
            await _take(bus, name)
            ended = await first_of(stop.wait(), _gone(bus), workload.until_idle(idle))
            if ended != 1:
                # What was sent to the name has arrived by the time of this answer, and what is sent to it later
                # starts a new process; who asks this very connection has to hear first that it goes.
                async with bus.room():
                    await bus.release_name(name)
                if ended == 2:
                    await first_of(workload.until_idle(_LINGER), stop.wait())
    finally:
        await workload.cancel()
        bus.disconnect()


async def reload_services(within: float) -> None:
    """Asks the bus to read new activation files, for buses that don't notice them. Does nothing without a bus."""
    try:
        async with asyncio.timeout(within):
            bus = await _connected()
            try:
                await bus.call(
                    Message(
                        destination=_FREEDESKTOP,
                        path="/org/freedesktop/DBus",
                        interface=_FREEDESKTOP,
                        member="ReloadConfig",
                    )
                )
            finally:
                bus.disconnect()
    except (CantServe, TimeoutError, OSError, EOFError, DBusFastError):
        return


class _PatientBus(MessageBus):
    def __init__(self) -> None:
        super().__init__(bus_type=BusType.SESSION)
        self._sending = asyncio.Lock()

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """Waits until no one else is sending and the socket has room for a message."""
        async with self._sending:
            assert self._sock is not None  # it is connected
            ready = select.poll()
            ready.register(self._sock, select.POLLOUT)
            if not ready.poll(0):
                await _until_writable(self._sock)
            yield


class _Door:
    """Messages to this process, each answered once."""

    def __init__(self, bus: "_PatientBus", answer: Answer, workload: Workload) -> None:
        self._bus = bus
        self._answer = answer
        self._workload = workload
        self._running: dict[tuple[str | None, str], asyncio.Task[str]] = {}

    def receive(self, message: Message) -> bool:
        """True, because every call is answered here."""
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        self._workload.add(self._serve(message))
        return True

    async def _serve(self, message: Message) -> None:
        reply = await self._reply(message)
        if not message.flags & MessageFlag.NO_REPLY_EXPECTED:
            async with self._bus.room():
                await self._bus.send(reply)

    async def _reply(self, message: Message) -> Message:
        interface, member, path = message.interface, message.member, message.path or "/"
        if interface in (INTERFACE, None) and member in ("Execute", "Cancel") and path == PATH:
            if message.signature != "s":
                return Message.new_error(message, ErrorType.INVALID_ARGS, f"{member} takes one string.")
            if member == "Execute":
                return Message.new_method_return(message, "s", [await self._execute(message.sender, message.body[0])])
            if running := self._running.get((message.sender, message.body[0])):
                running.cancel()
            return Message.new_method_return(message)
        if interface == f"{_FREEDESKTOP}.Peer" and member == "Ping":
            return Message.new_method_return(message)
        if interface == f"{_FREEDESKTOP}.Introspectable" and member == "Introspect":
            return Message.new_method_return(message, "s", [_introspection(path)])
        what = f"There is no {interface}.{member} at {path}; this app has {INTERFACE}.Execute at {PATH}."
        return Message.new_error(message, ErrorType.UNKNOWN_METHOD, what)

    async def _execute(self, sender: str | None, request: str) -> str:
        request_id = id_of(request)
        task = asyncio.ensure_future(self._answer(request))
        self._running[sender, request_id] = task
        try:
            return await task
        except asyncio.CancelledError:
            if (own := asyncio.current_task()) is not None and own.cancelling():
                raise
            return failure(request_id, INTERNAL_ERROR, "The request was cancelled.")
        finally:
            self._running.pop((sender, request_id), None)


async def _connected() -> _PatientBus:
    try:
        bus = _PatientBus()
        await bus.connect()
        return bus
    except (OSError, EOFError, KeyError, DBusFastError) as error:
        raise CantServe(
            f"There is no session bus to be reached on: {error}. Start the app in a desktop session, or with --stdio."
        ) from None


async def _until_writable(sock: socket.socket) -> None:
    loop, is_writable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_writer(sock, is_writable.set)
    try:
        await is_writable.wait()
    finally:
        loop.remove_writer(sock)


async def _gone(bus: MessageBus) -> None:
    with suppress(Exception):  # the reason for the end doesn't matter
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


async def _take(bus: MessageBus, name: str) -> None:
    try:
        reply = await bus.request_name(name, NameFlag.DO_NOT_QUEUE)
    except DBusError as error:
        raise CantServe(f"The bus refuses the name {name}: {error.text}.") from None
    if reply is not RequestNameReply.PRIMARY_OWNER:
        raise CantServe(f"{name} is running already: another process has this name on the bus.")


def _introspection(path: str) -> str:
    """Describes our object and its parents, so that tools that walk the tree find it."""
    if path == PATH:
        return f"{_DOCTYPE}<node>{_OURS}</node>"
    above = path if path.endswith("/") else f"{path}/"
    if not PATH.startswith(above):
        return f"{_DOCTYPE}<node/>"
    below = PATH.removeprefix(above).partition("/")[0]
    return f'{_DOCTYPE}<node><node name="{below}"/></node>'
