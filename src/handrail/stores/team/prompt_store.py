"""Opens the stores of a team's prompt queue: its journal, the waiters on all servers, and who asked and answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from handrail.ports.errors import Failure
from handrail.ports.prompt_queue import ApprovalSubject, Origin
from handrail.ports.prompt_store import PromptStore
from handrail.ports.prompts import NOTHING_MASKED
from handrail.stores.shared.mailbox import Mailbox
from handrail.stores.team.announcements import Listener
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.messages import Messages, NoSuchServer

JOURNAL = "prompts"
_TOPIC = "waiter"

logger = logging.getLogger(__name__)


def prompt_store(database: TeamDatabase, listener: Listener, messages: Messages) -> PromptStore:
    return PromptStore(
        journal=TeamJournal(database, JOURNAL),
        watching=lambda: listener.watching("prompts"),
        waiters=TeamWaiters(database, messages),
        answerers=TeamAnswerers(database),
        origins=TeamOrigins(database),
        is_elsewhere=True,
    )


class TeamWaiters:
    """Rows tell on which server a program waits for an answer; that server knows whether it still waits.

    Secrets go from server to server over NATS and are never stored.
    """

    def __init__(self, database: TeamDatabase, messages: Messages) -> None:
        self._database = database
        self._messages = messages
        self._mailboxes: dict[int, Mailbox] = {}
        self._is_reachable = False

    @asynccontextmanager
    async def waiting(self, request_id: str, masked: Mapping[str, str] = NOTHING_MASKED) -> AsyncIterator[Mailbox]:
        mailbox = Mailbox(masked)
        number = await asyncio.to_thread(self._enter, request_id, mailbox)
        try:
            yield mailbox
        finally:
            del self._mailboxes[number]
            with suppress(Failure):  # other servers learn from this one that no program waits
                await self._database.execute("DELETE FROM waiter WHERE number = $1", number)

    def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """A program whose server doesn't answer in time counts as waiting."""
        ids = list(request_ids)
        if not ids:
            return set()
        query = "SELECT request_id, number, server FROM waiter WHERE request_id = ANY($1)"
        rows = self._database.run(lambda connection: connection.fetch(query, ids))
        by_server: dict[str, dict[int, str]] = {}
        for request_id, number, server in rows:
            by_server.setdefault(server, {})[number] = request_id
        return {each for server, numbers in by_server.items() for each in self._alive(server, numbers)}

    def masked(self, request_id: str) -> Mapping[str, str]:
        return dict(self._ask_last_waiter(request_id, {"reveals": True}).get("masked", {}))

    def deliver(self, request_id: str, digest: str, values: Mapping[str, str]) -> bool:
        return bool(self._ask_last_waiter(request_id, {"digest": digest, "values": dict(values)}).get("taken"))

    def _ask_last_waiter(self, request_id: str, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Empty if no program waits or its server can't be reached."""
        query = "SELECT number, server FROM waiter WHERE request_id = $1 ORDER BY number DESC"
        for number, server in self._database.run(lambda connection: connection.fetch(query, request_id)):
            try:
                if (reply := self._ask_server(server, {"number": number, **message})).get("taken"):
                    return reply
            except NoSuchServer:
                self._forget(server)
            except Failure as lost:
                logger.warning("a waiter was not reached: %s", lost.message)
                return {}
        return {}

    def _enter(self, request_id: str, mailbox: Mailbox) -> int:
        if not self._is_reachable:
            self._messages.set_answer(_TOPIC, self._answer)
            self._is_reachable = True
        query = "INSERT INTO waiter (request_id, server) VALUES ($1, $2) RETURNING number"
        number: int = self._database.run(
            lambda connection: connection.fetchval(query, request_id, self._messages.server)
        )
        self._mailboxes[number] = mailbox
        return number

    def _alive(self, server: str, request_ids: Mapping[int, str]) -> Collection[str]:
        try:
            waiting = set(self._ask_server(server, {"numbers": list(request_ids)})["waiting"])
        except NoSuchServer:
            self._forget(server)
            return ()
        except Failure:
            return request_ids.values()
        return [request_id for number, request_id in request_ids.items() if number in waiting]

    def _ask_server(self, server: str, message: Mapping[str, Any]) -> Mapping[str, Any]:
        if server == self._messages.server:
            return self._answer(message)
        return self._messages.ask(server, _TOPIC, message)

    def _answer(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        if "numbers" in message:
            return {"waiting": [number for number in message["numbers"] if number in self._mailboxes]}
        mailbox = self._mailboxes.get(message["number"])
        if mailbox is not None and message.get("reveals"):
            return {"taken": True, "masked": dict(mailbox.masked)}
        if mailbox is not None:
            mailbox.put(str(message["digest"]), dict(message["values"]))
        return {"taken": mailbox is not None}

    def _forget(self, server: str) -> None:
        self._database.run(lambda connection: connection.execute("DELETE FROM waiter WHERE server = $1", server))


class TeamAnswerers:
    """Only people read it and nothing depends on it, so errors are logged and ignored."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    def note(self, request_id: str, by: str) -> None:
        query = (
            "INSERT INTO prompt_answerer (request_id, by) VALUES ($1, $2)"
            " ON CONFLICT (tenant, request_id) DO UPDATE SET by = EXCLUDED.by"
        )
        try:
            self._database.run(lambda connection: connection.execute(query, request_id, by))
        except Failure as failure:
            logger.warning("who answered %s is not on record: %s", request_id, failure.message)

    def of(self, request_ids: Collection[str]) -> Mapping[str, str]:
        query, ids = "SELECT request_id, by FROM prompt_answerer WHERE request_id = ANY($1)", list(request_ids)
        try:
            return dict(map(tuple, self._database.run(lambda connection: connection.fetch(query, ids))))
        except Failure as failure:
            logger.warning("who answered can't be read: %s", failure.message)
            return {}

    def close(self) -> None:
        """Does nothing: the connections belong to the database."""


class TeamOrigins:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    def note(self, request_id: str, origin: Origin) -> None:
        query = (
            "INSERT INTO prompt_origin (request_id, by, is_own, shown, waits, about) VALUES ($1, $2, $3, $4, $5, $6)"
            " ON CONFLICT DO NOTHING"
        )
        about = None if origin.about is None else msgspec.json.encode(origin.about)
        row = (request_id, origin.by, origin.is_own, origin.shown, origin.waits, about)
        self._database.run(lambda connection: connection.execute(query, *row))

    def of(self, request_ids: Collection[str]) -> Mapping[str, Origin]:
        query = "SELECT request_id, by, is_own, shown, waits, about FROM prompt_origin WHERE request_id = ANY($1)"
        ids = list(request_ids)
        rows = self._database.run(lambda connection: connection.fetch(query, ids))
        return {id: Origin(by, own, shown, waits, _about(about)) for id, by, own, shown, waits, about in rows}


def _about(stored: bytes | None) -> ApprovalSubject | None:
    return None if stored is None else msgspec.json.decode(stored, type=ApprovalSubject)
