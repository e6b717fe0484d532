"""Requests to a team's server with this node's token."""

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
from handrail.ports.unreadable_json import UNREADABLE_JSON

_CONNECT_SECONDS = 10.0
_RESPONSE_SECONDS = 30.0
_POLL_SECONDS = 15.0


class Revoked(Declined):
    """The team no longer accepts this node."""


class TeamClient:
    """Offline: the team can't be reached, or can't answer now. Revoked: it no longer accepts this node."""

    def __init__(self, url: str, token: Secret) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._pool = httpcore2.AsyncConnectionPool(keepalive_expiry=60.0, retries=0)

    async def fetch_update(self, version: str = "", *, waits: bool = False) -> NodeUpdate:
        """Returns at once, or with `waits` when there is an update or after a while."""
        seconds = _POLL_SECONDS if waits else 0
        data = await self._ask("GET", f"news?version={version}&seconds={seconds}", None)
        try:
            return msgspec.convert(data, NodeUpdate)
        except msgspec.ValidationError as error:
            raise BadAnswer(
                f"{self._url} isn't a team server that this version of handrail understands: {error}."
            ) from None

    async def ask(self, questions: list[NodeQuestion]) -> None:
        await self._ask("POST", "questions", msgspec.json.encode(questions))

    async def settle(self, outcomes: list[NodeOutcome]) -> None:
        await self._ask("POST", "answers", msgspec.json.encode(outcomes))

    async def send_audit(self, start: int, data: bytes) -> Any:
        """Returns the state of the team's own audit. Conflict: the team has another part of ours."""
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
            async with asyncio.timeout(_RESPONSE_SECONDS):
                response = await self._pool.request(
                    method,
                    f"{self._url}/api/node/{path}",
                    headers=[*headers.items()],
                    content=body,
                    extensions={"timeout": {"connect": _CONNECT_SECONDS}},
                )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
            why = str(error) or type(error).__name__  # TimeoutError is an OSError
            raise Offline(f"{self._url} can't be reached: {why[:200]}.") from None
        return self._read(response.status, response.content)

    def _read(self, status: int, content: bytes) -> Any:
        try:
            answer = msgspec.json.decode(content, type=dict[str, Any])
        except UNREADABLE_JSON:
            answer = {}
        if status == 200:
            return answer.get("data")
        message = str(answer.get("error", {}).get("message", "") or f"HTTP {status}")[:500]
        if status == 401:
            raise Revoked(f"{self._url} refuses this node: {message}", reason="revoked")
        if status == 409:
            raise Conflict(message)
        raise Offline(f"{self._url} can't answer now: {message}")


def validate_url(url: str) -> str:
    """A team's address without a path; plain HTTP only for this machine."""
    parts = urlsplit(url)
    is_local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise InvalidParams(f"{url!r} is not the address of a team.", hint="Example: https://handrail.example.com.")
    if parts.scheme == "http" and not is_local:
        raise InvalidParams("A team on another machine needs https://, which protects the token on its way.")
    return url.rstrip("/")
