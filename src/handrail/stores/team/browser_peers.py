"""How servers of a team reach the one that holds a browser: a NATS subject for each browser, which that one listens to.

NATS says at once where nobody listens. Answers too large for a message go through the bucket.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from handrail.ports.browser_store import Answer, PairedPlugin
from handrail.ports.errors import Failure, InputOutput, Offline
from handrail.stores.team.asking import short
from handrail.stores.team.blobs import BlobFolder
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.members import TeamMembers, hash_of
from handrail.stores.team.messages import Messages

_MOST_BYTES = 900_000
_CODE_LIFETIME = "interval '10 minutes'"

logger = logging.getLogger(__name__)


class TeamBrowserPeers:
    """Implements `ports.browser_store.BrowserPeers`. `large` is where answers are put that are too large."""

    def __init__(self, messages: Messages, database: TeamDatabase, members: TeamMembers, large: BlobFolder) -> None:
        self.server = messages.server
        self._messages = messages
        self._database = database
        self._members = members
        self._large = large
        self._subscriptions: dict[str, Subscription] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answer: Answer | None = None
        self._moved: Callable[[str], None] = lambda client_id: None

    def listen(self, answer: Answer, moved: Callable[[str], None]) -> None:
        self._loop, self._answer, self._moved = asyncio.get_running_loop(), answer, moved
        self._messages.engine.submit(self._listen_to_moves())

    async def hold(self, client_id: str) -> None:
        await self._messages.engine.call(self._hold(client_id))

    async def release(self, client_id: str) -> None:
        await self._messages.engine.call(self._release(client_id))

    async def ask(self, client_id: str, verb: str, said: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        # Who is cancelled doesn't wait for the answer.
        return await asyncio.wrap_future(self._messages.engine.submit(self._ask(client_id, verb, said, seconds)))

    async def make_code(self, code: str) -> None:
        await self._database.execute("DELETE FROM pairing_code WHERE expires_at < now()")
        query = f"INSERT INTO pairing_code (code_hash, expires_at) VALUES ($1, now() + {_CODE_LIFETIME})"
        await self._database.execute(query, hash_of(code))

    async def use_code(self, code: str) -> bool:
        query = "DELETE FROM pairing_code WHERE code_hash = $1 AND expires_at > now()"
        return await self._database.execute(query, hash_of(code)) == 1

    def follow_paired(self, tell: Callable[[Sequence[PairedPlugin]], None]) -> None:
        self._members.follow(lambda copy: tell(copy.paired))

    def _subject(self, client_id: str) -> str:
        return self._messages.subject("browser", short(client_id))

    async def _listen_to_moves(self) -> None:
        client = await self._messages.connected()
        await client.subscribe(self._messages.subject("held"), cb=self._heard_of_move)

    async def _heard_of_move(self, message: Msg) -> None:
        news = msgspec.json.decode(message.data, type=dict[str, str])
        if news["server"] != self.server and self._loop is not None:
            self._loop.call_soon_threadsafe(self._moved, news["client"])

    async def _hold(self, client_id: str) -> None:
        client = await self._messages.connected()
        if client_id not in self._subscriptions:

            async def heard(message: Msg) -> None:
                # Each on its own: the next message for this browser may be about the one that is under way.
                task = asyncio.create_task(self._respond(client_id, message))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

            self._subscriptions[client_id] = await client.subscribe(self._subject(client_id), cb=heard)
        news = msgspec.json.encode({"client": client_id, "server": self.server})
        await client.publish(self._messages.subject("held"), news)

    async def _release(self, client_id: str) -> None:
        if (subscription := self._subscriptions.pop(client_id, None)) is not None:
            await subscription.unsubscribe()

    async def _respond(self, client_id: str, message: Msg) -> None:
        try:
            said = msgspec.json.decode(message.data, type=dict[str, Any])
            assert self._loop is not None
            assert self._answer is not None
            working = asyncio.run_coroutine_threadsafe(
                _called(self._answer, client_id, said.pop("verb"), said), self._loop
            )
            answer = await asyncio.wrap_future(working)
            if answer is None:
                return
            data = msgspec.json.encode(answer)
            if len(data) > _MOST_BYTES:
                name = secrets.token_hex(16)
                await asyncio.to_thread(self._large.write, name, data)
                data = msgspec.json.encode({"large": name})
            await message.respond(data)
        except (Failure, nats.errors.Error, OSError, msgspec.DecodeError, KeyError) as lost:
            logger.warning("another server gets no answer about a browser: %s", lost)

    async def _ask(self, client_id: str, verb: str, said: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        client = await self._messages.connected()
        try:
            data = msgspec.json.encode({**said, "verb": verb})
            reply = await client.request(self._subject(client_id), data, timeout=seconds)
            answer = msgspec.json.decode(reply.data, type=dict[str, Any])
        except nats.errors.NoRespondersError:
            raise Offline(
                f"The browser {client_id} is not connected.",
                hint="It connects by itself when that browser is open. Start again with task_start to use another.",
                clientId=client_id,
            ) from None
        except (nats.errors.Error, TimeoutError, OSError, msgspec.DecodeError) as away:
            raise InputOutput(f"No answer from another server of the team: {type(away).__name__}.") from None
        if "large" in answer:
            name = str(answer["large"])
            whole = await asyncio.to_thread(self._large.read, name)
            await asyncio.to_thread(self._large.remove, name)
            return msgspec.json.decode(whole, type=dict[str, Any])
        return answer


async def _called(answer: Answer, client_id: str, verb: str, said: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return await answer(client_id, verb, said)
