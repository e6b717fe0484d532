"""What a team's queue of questions is kept in: its journal, who waits on which server, who asked and who answered."""

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
from handrail.stores.team.announcements import Listener
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.messages import Messages, NobodyThere

JOURNAL = "prompts"
_TOPIC = "waiter"
_DELIVERY_SECONDS = 2.0

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


class TeamMailbox:
    def __init__(self, masked: Mapping[str, str] = NOTHING_MASKED) -> None:
        self.masked = masked
        self._loop = asyncio.get_running_loop()
        self._delivered: dict[str, dict[str, str]] = {}
        self._arrival = asyncio.Event()

    def put(self, digest: str, values: dict[str, str]) -> None:
        """From any thread."""
        self._delivered[digest] = values
        self._loop.call_soon_threadsafe(self._arrival.set)

    async def take(self, digest: str) -> Mapping[str, str]:
        with suppress(TimeoutError):
            async with asyncio.timeout(_DELIVERY_SECONDS):
                while digest not in self._delivered:
                    self._arrival.clear()
                    await self._arrival.wait()
        return self._delivered.get(digest, {})


class TeamWaiters:
    """A row says on which server somebody waits, and that server says whether it is still there.

    Secrets go from server to server over NATS and are never written down.
    """

    def __init__(self, database: TeamDatabase, messages: Messages) -> None:
        self._database = database
        self._messages = messages
        self._mailboxes: dict[int, TeamMailbox] = {}
        self._is_reachable = False

    @asynccontextmanager
    async def waiting(self, request_id: str, masked: Mapping[str, str] = NOTHING_MASKED) -> AsyncIterator[TeamMailbox]:
        mailbox = TeamMailbox(masked)
        number = await asyncio.to_thread(self._enter, request_id, mailbox)
        try:
            yield mailbox
        finally:
            del self._mailboxes[number]
            with suppress(Failure):  # who asks learns from this server that nobody waits
                await self._database.execute("DELETE FROM waiter WHERE number = $1", number)

    def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """Somebody whose server doesn't answer in time may still wait, and is taken for one who does."""
        wanted = list(request_ids)
        if not wanted:
            return set()
        query = "SELECT request_id, number, server FROM waiter WHERE request_id = ANY($1)"
        rows = self._database.run(lambda connection: connection.fetch(query, wanted))
        by_server: dict[str, dict[int, str]] = {}
        for request_id, number, server in rows:
            by_server.setdefault(server, {})[number] = request_id
        return {each for server, known in by_server.items() for each in self._alive(server, known)}

    def masked(self, request_id: str) -> Mapping[str, str]:
        return dict(self._last_waiter_says(request_id, {"reveals": True}).get("masked", {}))

    def deliver(self, request_id: str, digest: str, values: Mapping[str, str]) -> bool:
        return bool(self._last_waiter_says(request_id, {"digest": digest, "values": dict(values)}).get("taken"))

    def _last_waiter_says(self, request_id: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Nothing where nobody waits, or their server can't be reached."""
        query = "SELECT number, server FROM waiter WHERE request_id = $1 ORDER BY number DESC"
        for number, server in self._database.run(lambda connection: connection.fetch(query, request_id)):
            try:
                if (told := self._told(server, {"number": number, **said})).get("taken"):
                    return told
            except NobodyThere:
                self._forget(server)
            except Failure as lost:
                logger.warning("a waiter was not reached: %s", lost.message)
                return {}
        return {}

    def _enter(self, request_id: str, mailbox: TeamMailbox) -> int:
        if not self._is_reachable:
            self._messages.answering(_TOPIC, self._answer)
            self._is_reachable = True
        query = "INSERT INTO waiter (request_id, server) VALUES ($1, $2) RETURNING number"
        number: int = self._database.run(
            lambda connection: connection.fetchval(query, request_id, self._messages.server)
        )
        self._mailboxes[number] = mailbox
        return number

    def _alive(self, server: str, known: Mapping[int, str]) -> Collection[str]:
        try:
            there = set(self._told(server, {"numbers": list(known)})["waiting"])
        except NobodyThere:
            self._forget(server)
            return ()
        except Failure:
            return known.values()
        return [request_id for number, request_id in known.items() if number in there]

    def _told(self, server: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
        if server == self._messages.server:
            return self._answer(said)
        return self._messages.ask(server, _TOPIC, said)

    def _answer(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        if "numbers" in said:
            return {"waiting": [number for number in said["numbers"] if number in self._mailboxes]}
        mailbox = self._mailboxes.get(said["number"])
        if mailbox is not None and said.get("reveals"):
            return {"taken": True, "masked": dict(mailbox.masked)}
        if mailbox is not None:
            mailbox.put(str(said["digest"]), dict(said["values"]))
        return {"taken": mailbox is not None}

    def _forget(self, server: str) -> None:
        self._database.run(lambda connection: connection.execute("DELETE FROM waiter WHERE server = $1", server))


class TeamAnswerers:
    """It is told for people to read, and nothing depends on it: what can't be noted or read is left out."""

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
        query, wanted = "SELECT request_id, by FROM prompt_answerer WHERE request_id = ANY($1)", list(request_ids)
        try:
            return dict(map(tuple, self._database.run(lambda connection: connection.fetch(query, wanted))))
        except Failure as failure:
            logger.warning("who answered can't be read: %s", failure.message)
            return {}

    def close(self) -> None:
        """The connections are the database's."""


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
        wanted = list(request_ids)
        rows = self._database.run(lambda connection: connection.fetch(query, wanted))
        return {id: Origin(by, own, shown, waits, _about(about)) for id, by, own, shown, waits, about in rows}


def _about(stored: bytes | None) -> ApprovalSubject | None:
    return None if stored is None else msgspec.json.decode(stored, type=ApprovalSubject)
