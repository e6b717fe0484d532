"""How servers of a team reach the one that holds something: a NATS subject for each, which that one listens to.

NATS says at once where nobody listens. Answers too large for a message go through the bucket.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from handrail.ports.browser_store import PairedPlugin
from handrail.ports.errors import Failure, InputOutput, Offline
from handrail.ports.team_servers import PeerHandler
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.team.blobs import BlobFolder
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.members import TeamMembers, hash_of
from handrail.stores.team.messages import Messages

_MOST_BYTES = 900_000

logger = logging.getLogger(__name__)


class TeamPeers:
    """Implements `ports.team_servers.Peers` for things of one `kind`. Answers that are too large go to `large`."""

    def __init__(self, messages: Messages, kind: str, large: BlobFolder) -> None:
        self.server = messages.server
        self._messages = messages
        self._kind = kind
        self._large = large
        self._subscriptions: dict[str, Subscription] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._working: set[str | None] = set()
        """Requests of other servers that are running here."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answer: PeerHandler | None = None
        self._moved: Callable[[str], None] = lambda key: None

    def listen(self, answer: PeerHandler, moved: Callable[[str], None]) -> None:
        self._loop, self._answer, self._moved = asyncio.get_running_loop(), answer, moved
        self._messages.engine.submit(self._listen_to_moves())

    async def hold(self, key: str) -> None:
        await self._messages.engine.call(self._hold(key))

    async def release(self, key: str) -> None:
        await self._messages.engine.call(self._release(key))

    async def ask(self, key: str, verb: str, content: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        # A cancelled caller doesn't wait for the answer.
        return await asyncio.wrap_future(self._messages.engine.submit(self._ask(key, verb, content, seconds)))

    def _subject(self, key: str) -> str:
        return self._messages.subject(self._kind, _short(key))

    async def _listen_to_moves(self) -> None:
        client = await self._messages.connected()
        await client.subscribe(self._messages.subject("held", self._kind), cb=self._heard_of_move)

    async def _heard_of_move(self, message: Msg) -> None:
        news = msgspec.json.decode(message.data, type=dict[str, str])
        if news["server"] != self.server and self._loop is not None:
            self._loop.call_soon_threadsafe(self._moved, news["key"])

    async def _hold(self, key: str) -> None:
        client = await self._messages.connected()
        if key not in self._subscriptions:

            async def heard(message: Msg) -> None:
                # Each in its own task, because the next message may be about the running one.
                task = asyncio.create_task(self._respond(key, message))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

            self._subscriptions[key] = await client.subscribe(self._subject(key), cb=heard)
        news = msgspec.json.encode({"key": key, "server": self.server})
        await client.publish(self._messages.subject("held", self._kind), news)

    async def _release(self, key: str) -> None:
        if (subscription := self._subscriptions.pop(key, None)) is not None:
            await subscription.unsubscribe()

    async def _respond(self, key: str, message: Msg) -> None:
        request: str | None = None
        try:
            content = msgspec.json.decode(message.data, type=dict[str, Any])
            if content["verb"] == "is_live" and content.get("request") in self._working:
                await message.respond(msgspec.json.encode({"data": True}))  # also while the server's main loop is busy
                return
            if content["verb"] != "is_live" and content.get("request") not in self._working:
                request = content.get("request")
                self._working.add(request)
            assert self._loop is not None
            assert self._answer is not None
            working = asyncio.run_coroutine_threadsafe(
                _called(self._answer, key, content.pop("verb"), content), self._loop
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
        except (Failure, nats.errors.Error, OSError, KeyError, *UNREADABLE_JSON) as lost:
            logger.warning("another server gets no answer about %s %s: %s", self._kind, key, lost)
        finally:
            self._working.discard(request)

    async def _ask(self, key: str, verb: str, content: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        client = await self._messages.connected()
        try:
            data = msgspec.json.encode({**content, "verb": verb})
            reply = await client.request(self._subject(key), data, timeout=seconds)
            answer = msgspec.json.decode(reply.data, type=dict[str, Any])
        except nats.errors.NoRespondersError:
            raise Offline(f"No server of the team has {self._kind} {key}.") from None
        except (nats.errors.Error, TimeoutError, OSError, *UNREADABLE_JSON) as away:
            raise InputOutput(f"No answer from another server of the team: {type(away).__name__}.") from None
        if "large" in answer:
            name = str(answer["large"])
            stored = await asyncio.to_thread(self._large.read, name)
            with suppress(Failure):  # a bucket may not allow deletion
                await asyncio.to_thread(self._large.remove, name)
            return msgspec.json.decode(stored, type=dict[str, Any])
        return answer


async def _called(answer: PeerHandler, key: str, verb: str, content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return await answer(key, verb, content)


_LIFETIME = "interval '10 minutes'"


class TeamBrowserPeers(TeamPeers):
    """Implements `ports.browser_store.BrowserPeers`."""

    def __init__(self, messages: Messages, database: TeamDatabase, members: TeamMembers, large: BlobFolder) -> None:
        super().__init__(messages, "browser", large)
        self._database = database
        self._members = members

    async def make_code(self, code: str) -> None:
        await self._database.execute("DELETE FROM pairing_code WHERE expires_at < now()")
        query = f"INSERT INTO pairing_code (code_hash, expires_at) VALUES ($1, now() + {_LIFETIME})"
        await self._database.execute(query, hash_of(code))

    async def use_code(self, code: str) -> bool:
        query = "DELETE FROM pairing_code WHERE code_hash = $1 AND expires_at > now()"
        return await self._database.execute(query, hash_of(code)) == 1

    def follow_paired(self, tell: Callable[[Sequence[PairedPlugin]], None]) -> None:
        self._members.follow(lambda copy: tell(copy.paired))


def _short(text: str) -> str:
    """A short name for a text that may be long or contain any character."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
