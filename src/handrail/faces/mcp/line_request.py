"""One MCP request on a stream of lines, and what stateless requests say about their client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handrail.faces.mcp.protocol import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    INVALID_PARAMS,
    STATELESS_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Request,
    RpcError,
    client_name,
)

if TYPE_CHECKING:
    from handrail.faces.mcp.lines import LineSession


class LineRequest(Request):
    def __init__(
        self,
        session: LineSession,
        id: str | int,
        params: Mapping[str, Any],
        version: str,
        client: str,
        capabilities: Mapping[str, Any],
    ) -> None:
        self._session = session
        self.id = id
        self.version = version
        self.client = client
        self.capabilities = capabilities
        meta = params.get("_meta")
        self.meta = meta if isinstance(meta, dict) else {}
        self.source = session.origin
        self.can_elicit = version not in STATELESS_VERSIONS
        self.hears_progress = self.meta.get("progressToken") is not None

    async def report_progress(self, seconds: float, message: str) -> None:
        token = self.meta.get("progressToken")
        if token is not None:
            params = {"progressToken": token, "progress": seconds, "message": message}
            await self._session.notify("notifications/progress", params)

    async def elicit(self, message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        return await self._session.ask("elicitation/create", params)

    def follow_tools(self) -> None:
        if not self.is_stateless:  # stateless clients use `subscriptions/listen`
            self._session.follow_tools()


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a request of a stateless version says about its client."""

    version: str
    client: str
    capabilities: Mapping[str, Any]


def envelope_of(params: Mapping[str, Any]) -> Envelope | None:
    """None if the request is of an older version. Raises RpcError."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or VERSION_KEY not in meta:
        return None
    version, capabilities = meta[VERSION_KEY], meta.get(CAPABILITIES_KEY)
    if not isinstance(version, str) or not isinstance(capabilities, dict):
        raise RpcError(INVALID_PARAMS, f"`_meta` needs {VERSION_KEY} and {CAPABILITIES_KEY}.")
    if version not in STATELESS_VERSIONS:
        data = {"supported": list(STATELESS_VERSIONS), "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return Envelope(version, client_name(meta.get(CLIENT_KEY)), capabilities)
