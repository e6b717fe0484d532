"""The model of an app that speaks AAI, for descriptors of every generation, and the ports to sign in and to call.

Independent of files, transports and the descriptor's syntax, which `descriptors/descriptor.py` reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.errors import NotFound

OBJECT_PATH = "/com/aai/Executor"
INTERFACE = "com.aai.Executor"
EVENT_CLASS = "aai "
EVENT_ID = "exec"

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class DBusExecution(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="dbus"):
    """`Execute(s) → s`. When a caller gives up, `Cancel(s)` is sent with the request_id."""

    service: str
    object_path: str = OBJECT_PATH
    interface: str = INTERFACE
    bus: Literal["session", "system"] = "session"


class StdioExecution(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="stdio"):
    """A process that reads one request per line and writes one reply per line, until its stdin is closed."""

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class HttpExecution(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="http"):
    base_url: str
    default_headers: dict[str, str] = {}


class AppleEventsExecution(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="apple-events"):
    bundle_id: str
    event_class: str = EVENT_CLASS
    event_id: str = EVENT_ID


Execution = DBusExecution | StdioExecution | HttpExecution | AppleEventsExecution


class HttpRoute(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's request below the base URL. `${param}` stands for a parameter in any of its texts.

    Without a body template, parameters that the path doesn't use are sent as the query (GET, DELETE) or a JSON body.
    """

    path: str
    method: Method = "POST"
    headers: dict[str, str] = {}
    body_template: Any = msgspec.UNSET


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """`result` is the expected result, if the descriptor declares one."""

    params: dict[str, Any]
    result: Any = msgspec.UNSET


class AppTool(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    parameters: dict[str, Any]
    returns: dict[str, Any] | None = None
    route: HttpRoute | None = None
    """Only for HTTP apps; without one, the contract's envelope is posted to the base URL."""
    is_idempotent: bool = False
    timeout_ms: int | None = None
    examples: tuple[Example, ...] = ()


class ApiKey(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="api_key"):
    """`prefix` is put before the key, separated by a space."""

    placement: Literal["header", "query"]
    name: str
    env_var: str | None = None
    prefix: str = ""
    obtain_url: str | None = None
    instructions: str | None = None


class OAuth2(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="oauth2"):
    authorization_endpoint: str
    token_endpoint: str
    scopes: tuple[str, ...] = ()
    flow: str = "authorization_code"
    pkce_method: Literal["S256", "plain"] = "S256"
    client_id: str | None = None
    refresh_endpoint: str | None = None
    extra_params: dict[str, str] = {}
    resource: str | None = None
    """The audience of the tokens (RFC 8707), if the server requires it."""


Auth = ApiKey | OAuth2


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A descriptor that passed every check. `auth` is None if no sign-in is needed."""

    id: str
    name: str
    description: str
    execution: Execution
    tools: tuple[AppTool, ...]
    version: str | None = None
    auth: Auth | None = None
    timeout_ms: int | None = None
    max_concurrent: int | None = None
    source: str = ""
    """The file or address that it was read from, shown to people."""

    def tool(self, name: str) -> AppTool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


class ListedTool(msgspec.Struct, frozen=True, gc=False):
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class ListedApp:
    """The part of a descriptor that a list needs; its schemas are not checked."""

    id: str
    name: str
    description: str
    tools: Sequence[ListedTool]
    source: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a descriptor."""

    source: str
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.field}: {self.reason}" if self.field else f"{self.source}: {self.reason}"


class AppRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The contract's request, with the members in the contract's order."""

    version: str = "1.0"
    tool: str
    params: dict[str, Any]
    request_id: str


class AppTransport(Protocol):
    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        """Returns the contract's reply as JSON text.

        The caller cancels it after `timeout` seconds; the value is for transports that must pass it on. Cancelling
        the call also cancels it at the app. Offline: the app can't be reached or ended before it answered.
        BadAnswer: it didn't send a reply. TooLarge.
        """
        ...

    async def close(self) -> None:
        """Ends every process and connection that it keeps open."""
        ...


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's credentials for one call. Never logged, never kept as evidence."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)


class Credentials(Protocol):
    """Asked before every call of an app that has `auth`."""

    async def grant(self, app: App) -> Grant:
        """AuthRequired; the hint says how to sign in."""
        ...

    async def renew(self, app: App, refused: Grant) -> Grant:
        """Returns another grant to try once after the app refused this one (401). AuthRequired if there is none."""
        ...


class UnknownApp(NotFound):
    """No descriptor names this app."""


class UnknownAppTool(NotFound):
    """The app's descriptor has no such tool."""


class BrokenDescriptor(UnknownApp):
    """The descriptor has problems, listed in `details["problems"]`, so the app is hidden."""
