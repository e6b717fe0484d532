"""MCP without a transport: versions, error codes, methods and the type of a request.

`lines.py` serves it on stdio and on the local socket; the official SDK serves it over HTTP (`sdk_server.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that a client opens with `initialize`."""
STATELESS_VERSIONS = ("2026-07-28",)
"""Versions in which every request describes its client, and a server sends no requests."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"

COMPLETE = {"resultType": "complete"}
FRESH = {"ttlMs": 0, "cacheScope": "private"}
"""Lists may change at any time."""


class RpcError(Exception):
    """Answers the request with a protocol error instead of a tool result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def encoded(self) -> dict[str, Any]:
        error = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class Request(ABC):
    """One request, while it is being answered."""

    id: str | int
    version: str
    client: str
    """What the client calls itself, as name/version."""
    capabilities: Mapping[str, Any]
    meta: Mapping[str, Any]
    source: Any
    """What the transport knows about the sender."""
    can_elicit: bool
    """Whether the transport can send a request to the client."""
    hears_progress: bool = True
    """Whether the client asked for progress, or may have."""

    @property
    def is_stateless(self) -> bool:
        return self.version in STATELESS_VERSIONS

    @property
    def has_tasks(self) -> bool:
        """Whether the client accepts a task instead of a result."""
        extensions = self.capabilities.get("extensions")
        return self.is_stateless and isinstance(extensions, Mapping) and TASKS_EXTENSION in extensions

    @abstractmethod
    async def report_progress(self, seconds: float, message: str) -> None:
        """Does nothing if the client didn't ask for progress."""

    @abstractmethod
    async def elicit(self, message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The client's `ElicitResult`, or None. When cancelled, tells the client to drop the form."""

    @abstractmethod
    def follow_tools(self) -> None:
        """From now on, notifies this client when the list of tools changes."""


Params = TypeVar("Params")


@dataclass(frozen=True)
class Method(Generic[Params]):
    """A request method: the type of its parameters and what answers it."""

    params: type[Params]
    run: Callable[[Request, Params], Awaitable[dict[str, Any]]]
    versions: Collection[str] = (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS)

    async def answer(self, request: Request, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            typed_params = msgspec.convert(params, self.params)
        except msgspec.ValidationError as error:
            raise RpcError(INVALID_PARAMS, f"Invalid parameters: {error}") from None
        return await self.run(request, typed_params)


class Page(msgspec.Struct, frozen=True):
    """Parameters of the methods that list something."""

    cursor: str | None = None


def client_name(info: Any) -> str:
    if not isinstance(info, Mapping) or not isinstance(info.get("name"), str):
        return "unknown"
    return f"{info['name']}/{info.get('version') or ''}"
