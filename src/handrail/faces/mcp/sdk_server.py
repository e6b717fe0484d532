"""Connects the MCP server to the official SDK, which serves it over HTTP."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

import msgspec
import pydantic

from handrail.faces.mcp.protocol import Method, Request, RpcError, client_name
from handrail.faces.mcp.sdk import (
    InMemorySubscriptionBus,
    ListenHandler,
    MCPError,
    Server,
    ServerRequestContext,
    ToolsListChanged,
    types,
)
from handrail.faces.mcp.server import SERVER_INFO, McpServer
from handrail.kernel.unexpected_error import unexpected_error

Context = ServerRequestContext[Any, Any]

logger = logging.getLogger(__name__)


class _OpenParams(types.RequestParams):
    """The SDK validates the methods it knows by itself, and our own types validate the rest."""

    model_config = pydantic.ConfigDict(extra="allow")


class _Server(Server[Any]):
    """The SDK would promise notifications of everything that a server has, but only those of tools are sent."""

    offered: Callable[[str], dict[str, Any]]
    """The capabilities in a version of the protocol."""

    def get_capabilities(
        self, *given: Any, protocol_version: str | None = None, **named: Any
    ) -> types.ServerCapabilities:
        return types.ServerCapabilities.model_validate(self.offered(protocol_version or ""))


def sdk_server(server: McpServer) -> Server[Any]:
    changes = _ToolChanges()
    server.tools_followers.add(changes.notify)
    info = SERVER_INFO
    sdk = _Server(info["name"], version=info["version"], title=info["title"], instructions=server.instructions)
    for name, method in server.methods.items():
        sdk.add_request_handler(name, _OpenParams, _handler(name, method, changes))
    sdk.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, changes.listen)
    sdk.offered = server.capabilities
    sdk.middleware.clear()  # OpenTelemetry spans, which we don't collect
    return sdk


def _handler(name: str, method: Method[Any], changes: "_ToolChanges") -> Callable[[Context, Any], Any]:
    async def handle(context: Context, params: _OpenParams) -> dict[str, Any]:
        request = _SdkRequest(context, changes)
        if request.version not in method.versions:
            raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=name)
        try:
            result = await method.answer(request, dict(context.params or {}))
        except RpcError as error:
            raise MCPError(code=error.code, message=error.message, data=error.data) from None
        except asyncio.CancelledError:
            raise
        except Exception as fault:  # noqa: BLE001 - logged
            raise MCPError(code=types.INTERNAL_ERROR, message=unexpected_error(name, fault).message) from None
        decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(result))  # the SDK needs plain values
        return decoded

    return handle


class _SdkRequest(Request):
    def __init__(self, context: Context, changes: "_ToolChanges") -> None:
        self._context = context
        self._changes = changes
        assert context.request_id is not None
        self.id = context.request_id
        self.version = context.protocol_version
        opening = context.session.client_params
        self.client = client_name(opening.client_info.model_dump(by_alias=True) if opening is not None else None)
        capabilities = context.session.client_capabilities
        self.capabilities = capabilities.model_dump(by_alias=True, exclude_none=True) if capabilities else {}
        self.meta = context.meta or {}
        self.source = context.request
        self.can_elicit = context.session.can_send_request

    async def report_progress(self, seconds: float, message: str) -> None:
        await self._context.session.report_progress(seconds, message=message)

    async def elicit(self, message: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        try:
            result = await self._context.session.elicit_form(message, dict(schema), self._context.request_id)
        except (MCPError, pydantic.ValidationError) as error:
            logger.info("the client gave no answer: %s", type(error).__name__)
            return None
        return {"action": result.action, "content": result.content or {}}

    def follow_tools(self) -> None:
        self._changes.connections.add(self._context.session._connection)  # the session lasts for one request


class _ToolChanges:
    """Notifies clients of changed tools: older versions on their connections, stateless ones that listen."""

    def __init__(self) -> None:
        self.connections: WeakSet[Any] = WeakSet()
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self._sending: set[asyncio.Task[None]] = set()

    def notify(self) -> None:
        loop = asyncio.get_running_loop()
        for notification in (self._bus.publish(ToolsListChanged()), *map(_notify, list(self.connections))):
            task = loop.create_task(notification)
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)


async def _notify(connection: Any) -> None:
    try:
        await connection.send_tool_list_changed()
    except (MCPError, OSError, RuntimeError) as error:
        logger.info("a client can't be notified of changed tools: %s", type(error).__name__)
