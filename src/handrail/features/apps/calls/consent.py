"""What a consent to an app's tool is bound to: everything its descriptor declares, including its sign-in hosts.

A descriptor could send a person to a trusted site for the sign-in, and have the tokens sent to another one.
"""

import shlex
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import msgspec

from handrail.features.apps.model import (
    ApiKey,
    App,
    AppleEventsExecution,
    AppTool,
    DBusExecution,
    Execution,
    HttpExecution,
    OAuth2,
    StdioExecution,
)
from handrail.ports.consents import ConsentRequest


def sign_in_hosts(auth: OAuth2) -> dict[str, str]:
    """By purpose: `authorization`, `token`, and `refresh` if declared."""
    hosts = {"authorization": _host(auth.authorization_endpoint), "token": _host(auth.token_endpoint)}
    if auth.refresh_endpoint is not None:
        hosts["refresh"] = _host(auth.refresh_endpoint)
    return hosts


def sign_in_facts(auth: OAuth2) -> list[tuple[str, str]]:
    hosts = sign_in_hosts(auth)
    facts = [("sign-in at", hosts["authorization"]), ("tokens from", hosts["token"])]
    if "refresh" in hosts:
        facts.append(("renewed by", hosts["refresh"]))
    if others := sorted({*hosts.values()} - {hosts["authorization"]}):
        warning = f"who signs in at {hosts['authorization']} is known to {' and '.join(others)} afterwards"
        facts.append(("beware", f"these are different hosts: {warning}"))
    return facts


def foreign_hosts(app: App) -> list[str]:
    """The sign-in hosts that are neither the host that published the app nor below it."""
    if not isinstance(app.auth, OAuth2):
        return []
    site = _host(app.source).removeprefix("www.")
    hosts = dict.fromkeys(sign_in_hosts(app.auth).values())
    return [host for host in hosts if host != site and not host.endswith(f".{site}")]


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").rstrip(".")


_MAX_DIGESTS = 1000
_app_digests: dict[str, tuple[App, str]] = {}


def consent_to(app: App, tool: AppTool) -> ConsentRequest:
    """A change of description, schema, route, program, address or sign-in makes it a different tool."""
    frame = _frame(app)
    return ConsentRequest(
        app=app.id,
        app_name=app.name,
        tool=tool.name,
        tool_digest=_digest({**frame, "tool": _tool_fields(tool)}),
        app_digest=_app_digest(app, frame),
        facts=_facts(app, tool),
    )


def _facts(app: App, tool: AppTool) -> list[tuple[str, str]]:
    facts = [
        ("app", f"{app.name} ({app.id})"),
        ("does", tool.description),
        ("goes to", describe_place(app.execution, tool)),
    ]
    match app.auth:
        case ApiKey(env_var=str(name)):
            facts.append(("signed in by", f"a key: ${name} of the environment, or the one that you have given"))
        case ApiKey():
            facts.append(("signed in by", "the key that you have given"))
        case OAuth2(scopes=scopes) as auth:
            facts.append(("signed in by", f"your sign-in ({' '.join(scopes) or 'no scopes'})"))
            facts += sign_in_facts(auth)
    return facts


def describe_place(execution: Execution, tool: AppTool | None = None) -> str:
    """In words, without headers and environment variables, which may contain the vendor's secrets."""
    match execution:
        case DBusExecution(service=service, bus=bus):
            return f"{service} on the {bus} bus"
        case StdioExecution(command=command, args=args):
            return f"the program {shlex.join((command, *args))}"
        case HttpExecution(base_url=base) if tool is not None and tool.route is not None:
            return f"{tool.route.method} {base.rstrip('/')}/{tool.route.path.lstrip('/')}"
        case HttpExecution(base_url=base):
            return base if tool is None else f"POST {base}"
        case AppleEventsExecution(bundle_id=bundle):
            return f"{bundle} by Apple Events"


def _frame(app: App) -> dict[str, Any]:
    return {
        "app": app.id,
        "name": app.name,
        "execution": msgspec.to_builtins(app.execution),
        "auth": msgspec.to_builtins(app.auth),
    }


def _app_digest(app: App, frame: dict[str, Any]) -> str:
    """The digest of all the app's tools, computed once until the descriptor changes."""
    cached = _app_digests.get(app.id)
    if cached is None or cached[0] is not app:
        tools = [_tool_fields(one) for one in sorted(app.tools, key=lambda one: one.name)]
        cached = _app_digests[app.id] = app, _digest({**frame, "tools": tools})
        if len(_app_digests) > _MAX_DIGESTS:
            _app_digests.pop(next(iter(_app_digests)), None)
    return cached[1]


def _digest(value: dict[str, Any]) -> str:
    """Compared only internally, at every call, so it avoids the slower canonical JSON."""
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def _tool_fields(tool: AppTool) -> dict[str, Any]:
    """Without what doesn't concern a person: examples and timeouts."""
    members: dict[str, Any] = msgspec.to_builtins(tool)
    return {name: value for name, value in members.items() if name not in ("examples", "timeout_ms")}
