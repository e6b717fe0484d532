"""Messages between a team's servers, over NATS. Nothing is stored."""

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
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.team.engine import Engine

_CONNECT_SECONDS = 5
_ANSWER_SECONDS = 2.0
Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]

logger = logging.getLogger(__name__)


class NoSuchServer(Exception):
    """No server has this name; it has ended."""


class Messages:
    """`server` is this process's name for other servers. Subjects begin with the tenant."""

    def __init__(self, url: str, tenant: str, engine: Engine) -> None:
        self.url = url
        self.server = secrets.token_hex(8)
        self._prefix = f"handrail.{tenant}"
        self.engine = engine
        self._client: Client | None = None
        self._opening = asyncio.Lock()
        self._answers: dict[str, Answer] = {}

    def set_answer(self, topic: str, answer: Answer) -> None:
        """From now on, answers other servers' questions about `topic` with `answer`. Blocks."""
        self.engine.run(self._set_answer(topic, answer))

    def ask(self, server: str, topic: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Asks another server. Raises NoSuchServer, or InputOutput if it isn't known whether it exists. Blocks."""
        return self.engine.run(self._ask(server, topic, question))

    async def ask_async(self, server: str, topic: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """`ask` for an event loop."""
        return await self.engine.call(self._ask(server, topic, question))

    def subject(self, *parts: str) -> str:
        return ".".join((self._prefix, *parts))

    def check(self) -> str:
        """The version of the NATS server. Raises InputOutput if it can't be reached. Blocks."""

        async def version() -> str:
            client = await self.connected()
            if not client.is_connected:
                raise InputOutput(f"The connection to NATS at {_place(self.url)} is lost.")
            try:  # not `flush`: a late answer to it would end the client's reading
                await client.request(self.subject("check"), timeout=_ANSWER_SECONDS)
            except nats.errors.NoRespondersError:
                pass  # NATS answers by itself that nobody listens there
            except (nats.errors.Error, OSError, TimeoutError):
                raise InputOutput(f"NATS doesn't answer at {_place(self.url)}.") from None
            return f"NATS {client.connected_server_version}"

        return self.engine.run(version())

    def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            self.engine.run(client.close())

    async def _report_loss(self) -> None:
        if self._client is not None:  # otherwise it was closed on purpose
            logger.warning("the connection to NATS is lost")

    async def _set_answer(self, topic: str, answer: Answer) -> None:
        client = await self.connected()

        async def on_message(message: Msg) -> None:
            try:
                question = msgspec.json.decode(message.data, type=dict[str, Any])
                reply = answer(question)
            except (KeyError, TypeError, *UNREADABLE_JSON):
                return  # not a message of ours
            await message.respond(msgspec.json.encode(reply))

        await client.subscribe(self.subject("server", self.server, topic), cb=on_message)
        await client.flush()

    async def _ask(self, server: str, topic: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        client = await self.connected()
        subject = self.subject("server", server, topic)
        try:
            reply = await client.request(subject, msgspec.json.encode(question), timeout=_ANSWER_SECONDS)
            return msgspec.json.decode(reply.data, type=dict[str, Any])
        except nats.errors.NoRespondersError:
            raise NoSuchServer(server) from None
        except (nats.errors.Error, TimeoutError, OSError, *UNREADABLE_JSON) as away:
            raise InputOutput(f"No answer from another server of the team: {type(away).__name__}.") from None

    async def connected(self) -> Client:
        """Only for the engine's loop. Raises InputOutput."""
        async with self._opening:
            if self._client is None:
                try:
                    async with asyncio.timeout(_CONNECT_SECONDS):  # without it, it would try forever
                        self._client = await nats.connect(
                            self.url,
                            connect_timeout=_CONNECT_SECONDS,
                            allow_reconnect=True,
                            max_reconnect_attempts=-1,
                            reconnect_time_wait=0.5,
                            error_cb=_noted,
                            disconnected_cb=self._report_loss,
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
    """Logs failed attempts to reconnect at a low level; the loss itself is logged once."""
    logger.debug("NATS: %s", str(error) or type(error).__name__)


async def _found_again() -> None:
    logger.warning("the connection to NATS is back")
