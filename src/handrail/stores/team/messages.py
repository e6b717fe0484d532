"""NATS between the servers of a team: who is there, and what is for one of them alone. It keeps nothing."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import nats
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from handrail.ports.errors import InputOutput
from handrail.stores.team.engine import Engine

_CONNECT_SECONDS = 5
_ANSWER_SECONDS = 2.0
Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]

logger = logging.getLogger(__name__)


class NobodyThere(Exception):
    """No server answers to this name: it has ended."""


class Messages:
    """`server` is this process's name to the others. Subjects begin with the tenant's."""

    def __init__(self, url: str, tenant: str, engine: Engine) -> None:
        self.url = url
        self.server = secrets.token_hex(8)
        self._prefix = f"handrail.{tenant}"
        self.engine = engine
        self._client: Client | None = None
        self._opening = asyncio.Lock()
        self._answers: dict[str, Answer] = {}

    def answering(self, topic: str, answer: Answer) -> None:
        """From now on, what others ask this server about `topic` is answered like this. Blocks."""
        self.engine.run(self._answering(topic, answer))

    def ask(self, server: str, topic: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """NobodyThere; InputOutput where it is not known whether somebody is. Blocks."""
        return self.engine.run(self._ask(server, topic, said))

    async def asked(self, server: str, topic: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """`ask` for an event loop."""
        return await self.engine.call(self._ask(server, topic, said))

    def subject(self, *parts: str) -> str:
        return ".".join((self._prefix, *parts))

    def check(self) -> str:
        """The version of the server; InputOutput where it can't be reached. Blocks."""

        async def version() -> str:
            client = await self.connected()
            return f"NATS {client.connected_server_version}"

        return self.engine.run(version())

    def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            self.engine.run(client.close())

    async def _answering(self, topic: str, answer: Answer) -> None:
        client = await self.connected()

        async def heard(message: Msg) -> None:
            try:
                said = msgspec.json.decode(message.data, type=dict[str, Any])
                reply = answer(said)
            except (msgspec.DecodeError, KeyError, TypeError):
                return  # not one of ours
            await message.respond(msgspec.json.encode(reply))

        await client.subscribe(self.subject("server", self.server, topic), cb=heard)
        await client.flush()

    async def _ask(self, server: str, topic: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
        client = await self.connected()
        subject = self.subject("server", server, topic)
        try:
            reply = await client.request(subject, msgspec.json.encode(said), timeout=_ANSWER_SECONDS)
            return msgspec.json.decode(reply.data, type=dict[str, Any])
        except nats.errors.NoRespondersError:
            raise NobodyThere(server) from None
        except (nats.errors.Error, TimeoutError, OSError, msgspec.DecodeError) as away:
            raise InputOutput(f"No answer from another server of the team: {type(away).__name__}.") from None

    async def connected(self) -> Client:
        """For the engine's loop alone. InputOutput."""
        async with self._opening:
            if self._client is None:
                try:
                    async with asyncio.timeout(_CONNECT_SECONDS):  # by itself it would try for ever
                        self._client = await nats.connect(
                            self.url,
                            connect_timeout=_CONNECT_SECONDS,
                            allow_reconnect=True,
                            max_reconnect_attempts=-1,
                            reconnect_time_wait=0.5,
                            error_cb=_noted,
                            disconnected_cb=_lost,
                            reconnected_cb=_found_again,
                            name="handrail",
                        )
                except (nats.errors.Error, OSError, TimeoutError) as away:
                    why = str(away) or type(away).__name__
                    raise InputOutput(f"NATS can't be reached at {_place(self.url)}: {why}.") from None
            return self._client


def _place(url: str) -> str:
    return url.rpartition("@")[2] if "@" in url else url


async def _noted(error: Exception) -> None:
    """Each attempt to connect again ends here: the loss itself is told once."""
    logger.debug("NATS: %s", str(error) or type(error).__name__)


async def _lost() -> None:
    logger.warning("the connection to NATS is lost")


async def _found_again() -> None:
    logger.warning("the connection to NATS is back")
