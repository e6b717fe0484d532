"""Apps on D-Bus: `Execute(s) → s` at the process that owns the app's name. The bus starts it if necessary.

The process is called by its unique name, after the bus has said which user's it is: no other process can take its place
in between.
"""

import asyncio
import configparser
import os
import shlex
from contextlib import suppress
from typing import NoReturn

from dbus_fast import Message, MessageType

from handrail.features.apps.backends.session_line import BUS, SessionLine
from handrail.features.apps.calls.envelopes import MAX_REPLY, encoded
from handrail.features.apps.calls.program_digest import of_command, of_process
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
        self._lines: dict[str, SessionLine] = {}
        self._opening = asyncio.Lock()
        self._owners: dict[tuple[str, str], str] = {}
        self._watched: set[tuple[str, str]] = set()
        self._parting: set[asyncio.Task[None]] = set()

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        place = app.execution
        assert isinstance(place, DBusExecution)
        line = await self._line(place.bus)
        text = encoded(request).decode()
        owner = self._owners.get((place.bus, place.service)) or await self._owner(line, place)
        answer = await self._execute(line, place, owner, text, request.request_id)
        if answer.sender == BUS and answer.error_name in _NOT_DELIVERED:
            # It ended since we learned its name, so this call has not begun. An app that says so itself has run it.
            owner = await self._owner(line, place)
            answer = await self._execute(line, place, owner, text, request.request_id)
        return _reply(answer, app, place)

    async def close(self) -> None:
        if self._parting:
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.gather(*self._parting)
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    async def program(self, place: DBusExecution) -> str:
        """Of the process that owns the service's name; if there is none, the program that the bus would start."""
        with suppress(Offline):
            line = await self._line(place.bus)
            told = await line.ask_bus("GetConnectionUnixProcessID", "s", place.service)
            if told.message_type is MessageType.METHOD_RETURN:
                return await run_in_thread(lambda: of_process(told.body[0]))
        return await run_in_thread(lambda: _started_by_bus(place.service))

    async def _execute(self, line: SessionLine, place: DBusExecution, owner: str, text: str, id: str) -> Message:
        try:
            return await line.ask(owner, place.object_path, place.interface, "Execute", "s", text)
        except asyncio.CancelledError:
            parting = asyncio.ensure_future(line.tell(owner, place.object_path, place.interface, "Cancel", id))
            self._parting.add(parting)
            parting.add_done_callback(self._parting.discard)
            raise

    async def _line(self, kind: str) -> SessionLine:
        async with self._opening:
            line = self._lines.get(kind)
            if line is None or not line.is_usable():
                self._forget(kind)
                line = self._lines[kind] = await SessionLine.open(kind, lambda name: self._owner_changed(kind, name))
            return line

    async def _owner(self, line: SessionLine, place: DBusExecution) -> str:
        """The unique name of the process that owns the service's name. Offline, also if it is another user's."""
        key = (place.bus, place.service)
        if key not in self._watched:
            rule = f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{place.service}'"
            await line.ask_bus("AddMatch", "s", rule)
            self._watched.add(key)
        found = await line.ask_bus("GetNameOwner", "s", place.service)
        if found.message_type is MessageType.ERROR:
            started = await line.ask_bus("StartServiceByName", "su", place.service, 0)
            if started.message_type is MessageType.ERROR:
                _refuse(started, place)
            found = await line.ask_bus("GetNameOwner", "s", place.service)
            if found.message_type is MessageType.ERROR:
                raise Offline(f"The service {place.service} was started and ended at once.")
        owner: str = found.body[0]
        await self._check_user(line, place, owner)
        self._owners[key] = owner
        return owner

    async def _check_user(self, line: SessionLine, place: DBusExecution, owner: str) -> None:
        told = await line.ask_bus("GetConnectionUnixUser", "s", owner)
        user = told.body[0] if told.message_type is MessageType.METHOD_RETURN else None
        if user == self._user or (place.bus == "system" and user == _ROOT):
            return
        whose = "a user whom the bus does not tell" if user is None else f"user {user}"
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


def _started_by_bus(service: str) -> str:
    """Of the service file that names it: what the bus would run. Empty where there is none."""
    folders = [os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")]
    folders += (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    for folder in folders:
        file = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(configparser.Error, UnicodeDecodeError):
            file.read(os.path.join(folder, "dbus-1", "services", f"{service}.service"))
            if words := shlex.split(file.get("D-BUS Service", "Exec", fallback="")):
                return of_command(words, "/")
    return ""


def _reply(answer: Message, app: App, place: DBusExecution) -> bytes:
    if answer.message_type is MessageType.ERROR:
        _refuse(answer, place)
    if answer.signature != "s":
        raise BadAnswer(f"{app.id} answered with the D-Bus type {answer.signature[:20]!r}, where a string is due.")
    text: str = answer.body[0]
    if len(text) > MAX_REPLY:
        raise BadAnswer(f"{app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY)
    return text.encode()


def _refuse(error: Message, place: DBusExecution) -> NoReturn:
    name, words = error.error_name or "", str(error.body[0])[:300] if error.body else ""
    if name in _NO_EXECUTOR:
        where = f"{place.interface}.Execute at {place.object_path}"
        raise BadAnswer(f"The service {place.service} has no {where}: {words}")
    is_unreached = name in _GONE or name.startswith(f"{BUS}.Error.Spawn") or name == f"{BUS}.Error.TimedOut"
    if error.sender == BUS and is_unreached:
        raise Offline(f"The service {place.service} is not to be reached: {words}", dbusError=name)
    raise BadAnswer(f"The service {place.service} answered with the D-Bus error {name}: {words}", dbusError=name)
