"""Reads `execution` and `auth` of a descriptor: how the app is reached, and how a user signs in."""

import re
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from handrail.features.apps.descriptors.parts import (
    ProblemReport,
    is_app_id,
    is_header_name,
    is_header_value,
    timeout_ms,
)
from handrail.features.apps.model import (
    EVENT_CLASS,
    EVENT_ID,
    INTERFACE,
    OBJECT_PATH,
    ApiKey,
    AppleEventsExecution,
    Auth,
    DBusExecution,
    Execution,
    HttpExecution,
    OAuth2,
    StdioExecution,
)

_BUS_NAME = re.compile(r"[A-Za-z_-][A-Za-z0-9_-]*(\.[A-Za-z_-][A-Za-z0-9_-]*)+")
_INTERFACE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+")
_OBJECT_PATH = re.compile(r"/|(/[A-Za-z0-9_]+)+")
_EVENT_CODE = re.compile(r"[\x20-\x7e]{4}")
_LONGEST_NAME = 255
_KINDS = "ipc, dbus, apple-events, stdio and http"


class _ExecutionPart(msgspec.Struct, kw_only=True):
    type: str
    service: str | None = None
    object_path: str = OBJECT_PATH
    interface: str = INTERFACE
    bus: str = "session"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    base_url: str = ""
    default_headers: dict[str, str] = {}
    bundle_id: str | None = None
    event_class: str = EVENT_CLASS
    event_id: str = EVENT_ID
    timeout: float | None = None
    max_concurrent: int | None = None


@dataclass(frozen=True, slots=True)
class ReadExecution:
    kind: Execution
    timeout_ms: int | None
    max_concurrent: int | None


def read_execution(raw: Any, app_id: str, report: ProblemReport, platform: str) -> ReadExecution | None:
    part = report.convert(raw, _ExecutionPart, "execution")
    if part is None:
        return None
    if part.max_concurrent is not None and not 1 <= part.max_concurrent <= 100:
        report.add("execution.max_concurrent", "must be between 1 and 100")
    timeout = timeout_ms(part.timeout, "execution.timeout", report)
    kind = part.type
    if kind == "ipc":
        kind = "apple-events" if platform == "darwin" else "dbus"
    match kind:
        case "dbus":
            execution: Execution = _dbus(part, app_id, report)
        case "apple-events":
            execution = _apple_events(part, app_id, report)
        case "stdio":
            execution = _stdio(part, report)
        case "http":
            execution = _http(part, report)
        case _:
            report.add("execution.type", f"{part.type[:50]!r} is unknown; known are {_KINDS}")
            return None
    return ReadExecution(execution, timeout, part.max_concurrent)


def _dbus(part: _ExecutionPart, app_id: str, report: ProblemReport) -> DBusExecution:
    service = part.service or app_id
    is_default = part.service is None and not is_app_id(app_id)  # then the id's own problem is reported elsewhere
    if not is_default and (_BUS_NAME.fullmatch(service) is None or len(service) > _LONGEST_NAME):
        # Parts of an app's id may begin with a digit, but parts of a D-Bus name can't: such apps must name a service.
        report.add("execution.service", f"{service[:100]!r} isn't a valid D-Bus service name")
    if _OBJECT_PATH.fullmatch(part.object_path) is None:
        report.add("execution.object_path", f"{part.object_path[:100]!r} isn't a D-Bus object path")
    if _INTERFACE_NAME.fullmatch(part.interface) is None or len(part.interface) > _LONGEST_NAME:
        report.add("execution.interface", f"{part.interface[:100]!r} isn't a valid D-Bus interface name")
    if part.bus not in ("session", "system"):
        report.add("execution.bus", f"{part.bus[:50]!r} is neither session nor system")
    return DBusExecution(
        service=service,
        object_path=part.object_path,
        interface=part.interface,
        bus="system" if part.bus == "system" else "session",
    )


def _apple_events(part: _ExecutionPart, app_id: str, report: ProblemReport) -> AppleEventsExecution:
    for field, code in (("event_class", part.event_class), ("event_id", part.event_id)):
        if _EVENT_CODE.fullmatch(code) is None:
            report.add(f"execution.{field}", f"{code[:20]!r} doesn't have four ASCII characters")
    return AppleEventsExecution(
        bundle_id=part.bundle_id or app_id, event_class=part.event_class, event_id=part.event_id
    )


def _stdio(part: _ExecutionPart, report: ProblemReport) -> StdioExecution:
    if not part.command.strip():
        report.add("execution.command", "is missing")
    texts = {"command": (part.command,), "args": part.args, "env": (*part.env, *part.env.values())}
    for field, values in texts.items():
        if any("\0" in value for value in values):
            report.add(f"execution.{field}", "contains a NUL character")
    if any("=" in name or not name for name in part.env):
        report.add("execution.env", "has a name that is empty or contains =")
    return StdioExecution(command=part.command, args=part.args, env=part.env)


def _http(part: _ExecutionPart, report: ProblemReport) -> HttpExecution:
    base = part.base_url
    if not base:
        report.add("execution.base_url", "is missing")
    else:
        base = report.check_url("execution.base_url", base)
        if "?" in part.base_url or "#" in part.base_url:
            report.add("execution.base_url", "must not have a query or fragment")
    report.check_headers("execution.default_headers", part.default_headers)
    return HttpExecution(base_url=base, default_headers=part.default_headers)


class _Pkce(msgspec.Struct, frozen=True):
    method: Literal["S256", "plain"] = "S256"


class _ApiKeyPart(msgspec.Struct, kw_only=True):
    name: str
    placement: Literal["header", "query"] | None = None
    location: Literal["header", "query"] | None = None
    """The second generation's name for `placement`."""
    env_var: str | None = None
    prefix: str = ""
    obtain_url: str | None = None
    instructions: str | None = None


class _OAuth2Part(msgspec.Struct, kw_only=True):
    authorization_endpoint: str
    token_endpoint: str
    scopes: tuple[str, ...] = ()
    flow: str = "authorization_code"
    pkce: _Pkce = _Pkce()
    client_id: str | None = None
    refresh_endpoint: str | None = None
    extra_params: dict[str, str] = {}


def read_auth(raw: Any, report: ProblemReport) -> Auth | None:
    if raw is None:
        return None
    kind = raw.get("type", "none") if isinstance(raw, dict) else raw
    match kind:
        case "none":
            return None
        case "api_key":
            return _api_key(raw, report)
        case "oauth2":
            return _oauth2(raw, report)
        case _:
            report.add("auth.type", f"{str(kind)[:50]!r} is unknown; known are none, api_key and oauth2")
            return None


def _api_key(raw: Any, report: ProblemReport) -> ApiKey | None:
    part = report.convert(raw, _ApiKeyPart, "auth.api_key")
    if part is None:
        return None
    placement = part.placement or part.location or "header"
    if placement == "header" and not is_header_name(part.name):
        report.add("auth.api_key.name", f"{part.name[:50]!r} isn't a valid header name")
    if placement == "header" and not is_header_value(part.prefix):
        report.add(
            "auth.api_key.prefix", "contains a character that isn't allowed in headers, or starts or ends with a space"
        )
    if not part.name:
        report.add("auth.api_key.name", "is empty")
    return ApiKey(
        placement=placement,
        name=part.name,
        env_var=part.env_var,
        prefix=part.prefix,
        obtain_url=part.obtain_url,
        instructions=part.instructions,
    )


def _oauth2(raw: Any, report: ProblemReport) -> OAuth2 | None:
    part = report.convert(raw, _OAuth2Part, "auth.oauth2")
    if part is None:
        return None
    field, refresh = "auth.oauth2", part.refresh_endpoint
    if part.flow != "authorization_code":
        report.add("auth.oauth2.flow", f"{part.flow[:50]!r} is unknown; known is authorization_code")
    return OAuth2(
        authorization_endpoint=report.check_url(f"{field}.authorization_endpoint", part.authorization_endpoint),
        token_endpoint=report.check_url(f"{field}.token_endpoint", part.token_endpoint),
        scopes=part.scopes,
        flow=part.flow,
        pkce_method=part.pkce.method,
        client_id=part.client_id,
        refresh_endpoint=None if refresh is None else report.check_url(f"{field}.refresh_endpoint", refresh),
        extra_params=part.extra_params,
    )
