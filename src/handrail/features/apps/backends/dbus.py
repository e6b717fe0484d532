"""Apps on D-Bus: calls `Execute(s) → s` of the process that owns the app's name. The bus starts it if necessary.

The process is called by its unique name, after the bus has confirmed which user it belongs to, so that no other process
can take its place in between.
"""

import asyncio
import configparser
import os
import shlex
from contextlib import suppress
from typing import NoReturn

from dbus_fast import Message, MessageType

from handrail.features.apps.backends.bus_connection import BUS, BusConnection
from handrail.features.apps.calls.envelopes import MAX_REPLY, encode_request
from handrail.features.apps.calls.program_digest import command_digest, process_digest
from handrail.features.apps.model import App, AppRequest, AppTool, DBusExecution
from handrail.ports.errors import BadAnswer, Offline
from handrail.ports.waiting import run_in_thread

_NOT_DELIVERED = frozenset({f"{BUS}.Error.ServiceUnknown", f"{BUS}.Error.NameHasNoOwner"})
_NO_EXECUTOR = frozenset(f"{BUS}.Error.{name}" for name in ("UnknownMethod", "UnknownObject", "UnknownInterface"))
_GONE = frozenset({f"{BUS}.Error.NoReply", f"{BUS}.Error.Disconnected", *_NOT_DELIVERED})
_ROOT = 0


class DBusTransport:
    """Only processes of `user` may own an app's name."""

    def __init__(self, user: int) -> None:
        self._user = user
        self._connections: dict[str, BusConnection] = {}
        self._opening = asyncio.Lock()
        self._owners: dict[tuple[str, str], str] = {}
        self._watched: set[tuple[str, str]] = set()
        self._cancellations: set[asyncio.Task[None]] = set()

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        place = app.execution
        assert isinstance(place, DBusExecution)
        connection = await self._connection(place.bus)
        text = encode_request(request).decode()
        owner = self._owners.get((place.bus, place.service)) or await self._owner(connection, place)
        answer = await self._execute(connection, place, owner, text, request.request_id)
        if answer.sender == BUS and answer.error_name in _NOT_DELIVERED:
            # The process has ended since, so the call didn't begin. An app that sends this error itself did run it.
            owner = await self._owner(connection, place)
            answer = await self._execute(connection, place, owner, text, request.request_id)
        return _reply(answer, app, place)

    async def close(self) -> None:
        if self._cancellations:
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.gather(*self._cancellations)
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    async def program(self, place: DBusExecution) -> str:
        """Identifies the process that owns the service's name, or the program that the bus would start."""
        with suppress(Offline):
            connection = await self._connection(place.bus)
            answer = await connection.ask_bus("GetConnectionUnixProcessID", "s", place.service)
            if answer.message_type is MessageType.METHOD_RETURN:
                return await run_in_thread(lambda: process_digest(answer.body[0]))
        return await run_in_thread(lambda: _service_program_digest(place.service))

    async def _execute(
        self, connection: BusConnection, place: DBusExecution, owner: str, text: str, id: str
    ) -> Message:
        try:
            return await connection.ask(owner, place.object_path, place.interface, "Execute", "s", text)
        except asyncio.CancelledError:
            cancellation = asyncio.ensure_future(
                connection.tell(owner, place.object_path, place.interface, "Cancel", id)
            )
            self._cancellations.add(cancellation)
            cancellation.add_done_callback(self._cancellations.discard)
            raise

    async def _connection(self, kind: str) -> BusConnection:
        async with self._opening:
            connection = self._connections.get(kind)
            if connection is None or not connection.is_usable():
                self._forget(kind)
                connection = self._connections[kind] = await BusConnection.open(
                    kind, lambda name: self._owner_changed(kind, name)
                )
            return connection

    async def _owner(self, connection: BusConnection, place: DBusExecution) -> str:
        """The unique name of the process that owns the service's name. Offline, also if it belongs to another user."""
        key = (place.bus, place.service)
        if key not in self._watched:
            rule = f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{place.service}'"
            await connection.ask_bus("AddMatch", "s", rule)
            self._watched.add(key)
        answer = await connection.ask_bus("GetNameOwner", "s", place.service)
        if answer.message_type is MessageType.ERROR:
            started = await connection.ask_bus("StartServiceByName", "su", place.service, 0)
            if started.message_type is MessageType.ERROR:
                _refuse(started, place)
            answer = await connection.ask_bus("GetNameOwner", "s", place.service)
            if answer.message_type is MessageType.ERROR:
                raise Offline(f"The service {place.service} was started and ended at once.")
        owner: str = answer.body[0]
        await self._check_user(connection, place, owner)
        self._owners[key] = owner
        return owner

    async def _check_user(self, connection: BusConnection, place: DBusExecution, owner: str) -> None:
        answer = await connection.ask_bus("GetConnectionUnixUser", "s", owner)
        user = answer.body[0] if answer.message_type is MessageType.METHOD_RETURN else None
        if user == self._user or (place.bus == "system" and user == _ROOT):
            return
        whose = "an unknown user" if user is None else f"user {user}"
        raise Offline(
            f"The service {place.service} is refused: its name is owned by a process of {whose}, not of this user.",
            reason="foreign_owner",
        )

    def _owner_changed(self, kind: str, service: str) -> None:
        self._owners.pop((kind, service), None)

    def _forget(self, kind: str) -> None:
        for key in [key for key in self._watched if key[0] == kind]:
            self._watched.discard(key)
            self._owners.pop(key, None)


def _service_program_digest(service: str) -> str:
    """Identifies the program in the service file that the bus would run. Empty if there is none."""
    folders = [os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")]
    folders += (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    for folder in folders:
        file = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(configparser.Error, UnicodeDecodeError):
            file.read(os.path.join(folder, "dbus-1", "services", f"{service}.service"))
            if words := shlex.split(file.get("D-BUS Service", "Exec", fallback="")):
                return command_digest(words, "/")
    return ""


def _reply(answer: Message, app: App, place: DBusExecution) -> bytes:
    if answer.message_type is MessageType.ERROR:
        _refuse(answer, place)
    if answer.signature != "s":
        raise BadAnswer(f"{app.id} answered with the D-Bus type {answer.signature[:20]!r} instead of a string.")
    text: str = answer.body[0]
    if len(text) > MAX_REPLY:
        raise BadAnswer(f"{app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY)
    return text.encode()


def _refuse(error: Message, place: DBusExecution) -> NoReturn:
    name, text = error.error_name or "", str(error.body[0])[:300] if error.body else ""
    if name in _NO_EXECUTOR:
        where = f"{place.interface}.Execute at {place.object_path}"
        raise BadAnswer(f"The service {place.service} has no {where}: {text}")
    is_unreached = name in _GONE or name.startswith(f"{BUS}.Error.Spawn") or name == f"{BUS}.Error.TimedOut"
    if error.sender == BUS and is_unreached:
        raise Offline(f"The service {place.service} can't be reached: {text}", dbusError=name)
    raise BadAnswer(f"The service {place.service} answered with the D-Bus error {name}: {text}", dbusError=name)
