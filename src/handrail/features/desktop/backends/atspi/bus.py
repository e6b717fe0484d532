"""The accessibility bus and its apps: connects on first use, and directly to an app where the app allows it."""

import asyncio
import contextlib
import os
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import (
    Answers,
    Connection,
    ConnectionLost,
    NoAnswer,
    Refused,
    session_bus,
)
from handrail.ports.errors import Gone, PermissionMissing, Timeout

PATIENCE = 5.0
"""Seconds without any answer after which an app counts as unresponsive."""

_BUS_PATIENCE = 3.0
_PEER_PATIENCE = 0.5
_LONGEST_ACTION = 24 * 3600.0
"""Seconds that a dialog may stay open before its action's answer isn't waited for any more."""
_MOST_ACTED = 64
"""Actions of one app whose connections stay open; the dialogs of older ones are closed by now."""
_MIN_QUESTIONS_FOR_PEER = 50
"""From this number of calls on, a direct connection to the app is worth opening."""


class Ref(NamedTuple):
    """An object of an app; `name` is the app's name on the bus."""

    name: str
    path: str


Question = tuple[str, Call]


def indexes_by_app(refs: Sequence[Ref]) -> dict[str, list[int]]:
    """Groups indexes by app name, because a window may contain objects of several apps."""
    indexes: dict[str, list[int]] = {}
    for index, ref in enumerate(refs):
        indexes.setdefault(ref.name, []).append(index)
    return indexes


class AccessibilityBus:
    def __init__(self, session_address: str | None = None) -> None:
        self._session_address = session_address
        self._connection: Connection | None = None
        self._connecting = asyncio.Lock()
        self._peers: dict[str, asyncio.Task[Connection | None]] = {}
        self._generation = 0
        self._acted: dict[str, dict[asyncio.Task[Any], Connection]] = {}
        """Connections that actions were sent over, by app, the oldest first."""

    async def connection(self) -> Connection:
        async with self._connecting:
            if self._connection is None or self._connection.is_closed:
                self._forget_peers()
                self._connection = await self.another_connection()
                self._generation += 1
            return self._connection

    async def another_connection(self) -> Connection:
        """Opens another connection to the same bus, which the caller must close."""
        address = await self._address()
        try:
            return await Connection.to_bus(address, patience=_BUS_PATIENCE)
        except (ConnectionLost, NoAnswer) as error:
            raise PermissionMissing(f"The accessibility bus at {address} can't be reached: {error}") from None

    async def ask(self, ref: Ref, call: Call, patience: float = PATIENCE) -> Any:
        return (await self.ask_all(ref.name, [(ref.path, call)], patience))[0]

    async def ask_all(self, name: str, questions: Sequence[Question], patience: float = PATIENCE) -> Answers:
        """Makes calls to one app and returns the answers in order. Only for calls that may be repeated."""
        if peer := await self._peer(name, len(questions), patience):
            try:
                return await peer.ask_all(None, questions, patience)
            except ConnectionLost:
                self._peers.pop(name, None)
            except NoAnswer:
                raise _app_timeout(name, patience) from None
        try:
            return await self.send_all_once(name, questions, patience)
        except Gone:
            if name.startswith(":"):
                raise
            # Often the first call is the one that notices a restart of the bus; well-known names exist again.
            return await self.send_all_once(name, questions, patience)

    async def ask_each(self, refs: Sequence[Ref], call: Call) -> Answers:
        """Makes one call to objects of any apps and returns the answers in the order of the objects."""
        answers_by_ref: Answers = [None] * len(refs)
        for name, indexes in indexes_by_app(refs).items():
            answers = await self.ask_all(name, [(refs[index].path, call) for index in indexes])
            for index, answer in zip(indexes, answers, strict=True):
                answers_by_ref[index] = answer
        return answers_by_ref

    async def send_once(self, ref: Ref, call: Call, patience: float = PATIENCE) -> Any:
        """Makes a call that must not be repeated."""
        return (await self.send_all_once(ref.name, [(ref.path, call)], patience))[0]

    async def send_all_once(self, name: str, questions: Sequence[Question], patience: float = PATIENCE) -> Answers:
        connection = await self.connection()
        try:
            return await connection.ask_all(name, questions, patience)
        except NoAnswer:
            raise _app_timeout(name, patience) from None
        except ConnectionLost:
            raise Gone("The accessibility bus was lost while it was read.") from None

    async def act_once(self, ref: Ref, call: Call, patience: float) -> Any:
        """Makes a call that must not be repeated and may open a dialog, over a connection of its own if the app allows
        it. GTK 3 answers, then acts, and reads nothing else from that connection until the dialog is closed. Any key
        would hang it for good if something were unread there, so nothing more is sent and it isn't closed yet.
        """
        peer = await self._open_peer(ref.name, patience)
        if peer is None:
            return await self.send_once(ref, call, patience)
        task = asyncio.create_task(peer.ask(None, ref.path, call, _LONGEST_ACTION))
        task.add_done_callback(_take_exception)
        acted = self._acted.setdefault(ref.name, {})
        acted[task] = peer
        peer.on_lost = partial(acted.pop, task, None)
        ended = [one for one in acted if one.done()]
        for oldest in ended[: max(len(ended) - _MOST_ACTED, 0)]:
            acted[oldest].close()
        done, _ = await asyncio.wait([task], timeout=patience)
        if not done:
            raise _app_timeout(ref.name, patience)
        try:
            return await task
        except (ConnectionLost, NoAnswer):
            raise Gone("The app has closed its connection.") from None

    def handle(self, ref: Ref) -> str:
        """Handles start with the number of the bus, because every bus reuses the same names."""
        return f"{self._generation}{ref.name}{ref.path}"

    async def ref(self, handle: str) -> Ref | None:
        """Returns None if the handle is from an earlier bus."""
        await self.connection()
        generation, colon, rest = handle.partition(":")
        name, slash, path = rest.partition("/")
        if generation != str(self._generation) or not colon or not slash:
            return None
        return Ref(colon + name, slash + path)

    async def close(self) -> None:
        self._forget_peers()
        if self._connection is not None:
            self._connection.close()

    async def _peer(self, name: str, questions: int, patience: float) -> Connection | None:
        task = self._peers.get(name)
        if task is None and questions < _MIN_QUESTIONS_FOR_PEER:
            return None
        await self.connection()
        if task is None:
            task = self._peers[name] = asyncio.create_task(self._open_peer(name, patience))
            task.add_done_callback(partial(self._forget_failed, name))
        peer = await asyncio.shield(task)
        if peer is None or not peer.is_closed:
            return peer
        self._peers.pop(name, None)
        return None

    async def _open_peer(self, name: str, patience: float) -> Connection | None:
        """Returns None if the app has no address of its own, or none that this process can reach."""
        answer = await self.send_once(Ref(name, calls.ROOT_PATH), calls.BUS_ADDRESS, patience)
        if isinstance(answer, Refused) or not answer[0]:
            return None
        with contextlib.suppress(ConnectionLost, NoAnswer):
            return await Connection.to_peer(answer[0], patience=_PEER_PATIENCE)
        return None

    def _forget_failed(self, name: str, task: "asyncio.Task[Connection | None]") -> None:
        """Forgets failed attempts, because an unresponsive app may answer the next time."""
        if (task.cancelled() or task.exception() is not None) and self._peers.get(name) is task:
            del self._peers[name]

    def _forget_peers(self) -> None:
        for task in self._peers.values():
            task.add_done_callback(_close_peer)
        self._peers.clear()
        for acted in self._acted.values():
            for task, peer in list(acted.items()):
                task.cancel()
                peer.close()
        self._acted.clear()

    async def _address(self) -> str:
        answer = await ask_session(calls.GET_ADDRESS, self._session_address)
        if isinstance(answer, Refused) or not answer[0]:
            raise PermissionMissing(
                f"The session has no accessibility bus: {answer.text if isinstance(answer, Refused) else 'no address'}",
                hint="Install at-spi2-core and start at-spi-bus-launcher.",
            )
        return str(answer[0])


async def ask_session(call: Call, address: str | None = None) -> Any:
    """Asks the session's accessibility service. PermissionMissing if there is no session bus."""
    address = address or session_bus(os.environ)
    if address is None:
        raise PermissionMissing(
            "There is no session bus, so no accessibility bus.", hint="Start handrail in a desktop session."
        )
    try:
        connection = await Connection.to_bus(address, patience=_BUS_PATIENCE)
    except (ConnectionLost, NoAnswer) as error:
        raise PermissionMissing(f"The session bus at {address} can't be reached: {error}") from None
    try:
        return await connection.ask("org.a11y.Bus", "/org/a11y/bus", call, _BUS_PATIENCE)
    except (ConnectionLost, NoAnswer):
        return Refused("it does not answer")
    finally:
        connection.close()


def _app_timeout(name: str, patience: float) -> Timeout:
    return Timeout(f"The app {name} answered nothing for {patience:g} s.", busName=name)


def _close_peer(task: "asyncio.Task[Connection | None]") -> None:
    if not task.cancelled() and task.exception() is None and (peer := task.result()):
        peer.close()


def _take_exception(task: "asyncio.Task[Any]") -> None:
    """No one may wait for it any more."""
    if not task.cancelled():
        task.exception()
