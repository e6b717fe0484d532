"""Web apps: reads the descriptor that a site publishes, checks it and saves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import UNSET

from handrail.features.apps.backends.catalogue import Catalogue, default_folders
from handrail.features.apps.descriptors.parts import is_loopback
from handrail.features.apps.model import (
    ApiKey,
    App,
    AppTool,
    Auth,
    BrokenDescriptor,
    HttpExecution,
    HttpRoute,
    OAuth2,
    UnknownApp,
)
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import BadAnswer, Conflict, InvalidParams, NotFound

_SCHEMA_VERSION = "1.0"


def encode_descriptor(app: App) -> bytes:
    """Returns indented JSON that `descriptor.read` reads back as the same app."""
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
    """Values below 1000 are read as seconds."""
    return milliseconds if milliseconds is None or milliseconds >= 1000 else milliseconds / 1000


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


WELL_KNOWN = "/.well-known/aai.json"
_LOCAL_ENDINGS = (".local", ".lan", ".internal", ".home.arpa", ".localhost")


def descriptor_address(address: str) -> str:
    """The descriptor's address, from that of a site or of the descriptor itself. InvalidParams."""
    text = address.strip()
    failure = InvalidParams(f"{address[:200]!r} isn't an address of a web site.", hint="Such as https://example.com.")
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host, is_odd = parts.hostname or "", parts.port == 0
    except ValueError:
        raise failure from None
    if is_odd or not host or parts.username is not None or parts.scheme not in ("https", "http") or not text.isascii():
        raise failure
    if parts.scheme == "http" and not is_loopback(host):
        raise InvalidParams("A descriptor must be served over https.", hint="http works only on this machine.")
    path = parts.path if parts.path.endswith(".json") else WELL_KNOWN
    return f"{parts.scheme}://{parts.netloc}{path}"


def redirect_target(address: str, location: str) -> str:
    """Where a redirect leads, which must be on the same host. BadAnswer."""
    here = urlsplit(address)
    try:
        there = urlsplit(urljoin(address, location))
    except ValueError:
        raise BadAnswer(f"{here.netloc} redirects to something that isn't an address.") from None
    if not location or (there.scheme, there.netloc) != (here.scheme, here.netloc):
        raise BadAnswer(
            f"{here.netloc} redirects to {there.netloc[:200] or 'nowhere'}, which isn't followed.",
            hint=f"If that is the right site, name it: handrail apps add {there.scheme}://{there.netloc}"[:300],
        )
    return there._replace(fragment="").geturl()


def check_web_app(app: App, address: str) -> None:
    """BrokenDescriptor if it declares something that a web site must not."""
    if not isinstance(app.execution, HttpExecution):
        raise _broken(app, "execution.type", "a web site can offer only http, and nothing on this machine")
    if is_loopback(urlsplit(address).hostname or ""):
        return
    addresses = {"execution.base_url": app.execution.base_url}
    if isinstance(app.auth, OAuth2):
        addresses["auth.oauth2.authorization_endpoint"] = app.auth.authorization_endpoint
        addresses["auth.oauth2.token_endpoint"] = app.auth.token_endpoint
        addresses["auth.oauth2.refresh_endpoint"] = app.auth.refresh_endpoint or app.auth.token_endpoint
    for field, url in addresses.items():
        if is_private(urlsplit(url).hostname or ""):
            raise _broken(app, field, "leads to this machine or its network, which a web site must not use")


def has_same_host(existing: App, app: App) -> bool:
    """Whether both apps are called at the same host."""
    places = [each.execution for each in (existing, app)]
    hosts = [urlsplit(place.base_url).netloc.lower() for place in places if isinstance(place, HttpExecution)]
    return len(hosts) == 2 and hosts[0] == hosts[1]


def is_private(host: str) -> bool:
    """Includes IP addresses."""
    name = host.rstrip(".").lower()
    return "." not in name or ":" in name or name.replace(".", "").isdigit() or name.endswith(_LOCAL_ENDINGS)


def _broken(app: App, field: str, reason: str) -> BrokenDescriptor:
    problem = {"file": app.source, "field": field, "reason": reason}
    return BrokenDescriptor(f"{app.source}: {field}: {reason}", problems=[problem])


_MAX_REDIRECTS = 3
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def read_web_app(url: str) -> App:
    """Reads the descriptor that a site publishes. InvalidParams, Offline, BadAnswer, NotFound, BrokenDescriptor."""
    from handrail.features.apps.backends.network import fetch
    from handrail.features.apps.descriptors.descriptor import MAX_BYTES, read

    first = address = descriptor_address(url)
    for _ in range(_MAX_REDIRECTS + 1):
        fetched = await fetch("GET", address, {"accept": "application/json"}, None, max_bytes=MAX_BYTES)
        if fetched.status not in _REDIRECTS:
            break
        address = redirect_target(address, fetched.location)
    else:
        raise BadAnswer(f"{first} answers with one redirect after another.")
    if fetched.status != _OK:
        raise NotFound(f"There is no descriptor at {address}: status {fetched.status}.", status=fetched.status)
    app = read(fetched.body, address)
    check_web_app(app, address)
    return app


def add_web_app(app: App) -> Path:
    """Writes the descriptor to the user's own folder atomically. Conflict if another app has this id."""
    _check_id_is_free(app)
    own, _ = default_folders(Path.home())
    folder = own / app.id
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "aai.json"
    replace_file(target, encode_descriptor(app), 0o644)
    return target


def _check_id_is_free(app: App) -> None:
    """A site may update its own app but not replace another one."""
    try:
        existing = Catalogue(*default_folders(Path.home())).find(app.id)
    except (UnknownApp, BrokenDescriptor):
        return
    if not has_same_host(existing, app):
        raise Conflict(
            f"There is another app with the id {app.id}: {existing.source}.",
            hint="To replace it, remove that descriptor first.",
        )
