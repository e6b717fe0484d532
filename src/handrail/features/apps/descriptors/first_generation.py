"""The one spelling in which descriptors are written, whatever generation they were read in: the first."""

from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.apps.model import ApiKey, App, AppTool, Auth, HttpRoute, OAuth2

_SCHEMA_VERSION = "1.0"


def spelled(app: App) -> bytes:
    """What `descriptor.read` reads back into the same app. For people to read, so with line breaks."""
    execution: dict[str, Any] = msgspec.to_builtins(app.execution)
    execution |= _present(timeout=_time(app.timeout_ms), max_concurrent=app.max_concurrent)
    about = {"id": app.id, "name": app.name, "description": app.description} | _present(version=app.version)
    descriptor = {
        "schema_version": _SCHEMA_VERSION,
        "app": about,
        "execution": execution,
        "tools": [_tool(tool) for tool in app.tools],
        **_present(auth=None if app.auth is None else _auth(app.auth)),
    }
    return msgspec.json.format(msgspec.json.encode(descriptor), indent=2) + b"\n"


def _tool(tool: AppTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        **_present(
            returns=tool.returns,
            execution=None if tool.route is None else _route(tool.route),
            idempotent=tool.is_idempotent or None,
            timeout=_time(tool.timeout_ms),
            examples=msgspec.to_builtins(tool.examples) or None,
        ),
    }


def _route(route: HttpRoute) -> dict[str, Any]:
    body = {} if route.body_template is UNSET else {"body_template": route.body_template}
    return {"path": route.path, "method": route.method, **_present(headers=route.headers or None), **body}


def _auth(auth: Auth) -> dict[str, Any]:
    if isinstance(auth, ApiKey):
        key = msgspec.to_builtins(auth)
        del key["type"]
        return {"type": "api_key", "api_key": _present(**{**key, "prefix": auth.prefix or None})}
    return {"type": "oauth2", "oauth2": _oauth2(auth)}


def _oauth2(auth: OAuth2) -> dict[str, Any]:
    return {
        "flow": auth.flow,
        "authorization_endpoint": auth.authorization_endpoint,
        "token_endpoint": auth.token_endpoint,
        "scopes": list(auth.scopes),
        "pkce": {"method": auth.pkce_method},
        **_present(
            client_id=auth.client_id,
            refresh_endpoint=auth.refresh_endpoint,
            extra_params=auth.extra_params or None,
        ),
    }


def _time(milliseconds: int | None) -> float | None:
    """Below 1000 it is read as seconds."""
    return milliseconds if milliseconds is None or milliseconds >= 1000 else milliseconds / 1000


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
