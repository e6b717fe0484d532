"""Requests to a team's server, with this node's token."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import msgspec

import handrail
from handrail.ports.errors import BadAnswer, Conflict, Declined, InvalidParams, Offline
from handrail.ports.node import NodeOutcome, NodeQuestion, NodeUpdate
from handrail.ports.secrets import Secret

_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 30.0
_POLL_SECONDS = 15.0


class Revoked(Declined):
    """The team does not let this node in."""


class TeamClient:
    """Offline: the team is not to be reached now, or can't answer. Revoked: it lets this node in no more."""

    def __init__(self, url: str, token: Secret) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._pool = httpcore2.AsyncConnectionPool(keepalive_expiry=60.0, retries=0)

    async def news(self, version: str = "", *, waits: bool = False) -> NodeUpdate:
        """At once, or when there are some; without any after a while."""
        seconds = _POLL_SECONDS if waits else 0
        found = await self._ask("GET", f"news?version={version}&seconds={seconds}", None)
        try:
            return msgspec.convert(found, NodeUpdate)
        except msgspec.ValidationError as wrong:
            raise BadAnswer(f"{self._url} isn't a team's server that this handrail understands: {wrong}.") from None

    async def ask(self, questions: list[NodeQuestion]) -> None:
        await self._ask("POST", "questions", msgspec.json.encode(questions))

    async def settle(self, outcomes: list[NodeOutcome]) -> None:
        await self._ask("POST", "answers", msgspec.json.encode(outcomes))

    async def send_audit(self, start: int, data: bytes) -> Any:
        """What the team says about its own. Conflict: it has another part."""
        return await self._ask("POST", f"audit?start={start}", data)

    async def close(self) -> None:
        await self._pool.aclose()

    async def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        headers = {
            "authorization": f"Bearer {self._token.reveal()}",
            "user-agent": f"handrail-node/{handrail.__version__}",
            "content-type": "application/json",
        }
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                response = await self._pool.request(
                    method,
                    f"{self._url}/api/node/{path}",
                    headers=[*headers.items()],
                    content=body,
                    extensions={"timeout": {"connect": _CONNECT_SECONDS}},
                )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as away:
            why = str(away) or type(away).__name__  # TimeoutError is an OSError
            raise Offline(f"{self._url} is not to be reached: {why[:200]}.") from None
        return self._read(response.status, response.content)

    def _read(self, status: int, content: bytes) -> Any:
        try:
            answer = msgspec.json.decode(content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            answer = {}
        if status == 200:
            return answer.get("data")
        said = str(answer.get("error", {}).get("message", "") or f"HTTP {status}")[:500]
        if status == 401:
            raise Revoked(f"{self._url} refuses this node: {said}", reason="revoked")
        if status == 409:
            raise Conflict(said)
        raise Offline(f"{self._url} can't answer now: {said}")


def checked_url(url: str) -> str:
    """Without a path; over plain HTTP only to this machine."""
    parts = urlsplit(url)
    is_local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise InvalidParams(f"{url!r} is not the address of a team.", hint="Such as https://handrail.example.com.")
    if parts.scheme == "http" and not is_local:
        raise InvalidParams("A team elsewhere is reached over https://, so that nobody reads the token on its way.")
    return url.rstrip("/")
