"""Signing in to a server over OAuth: discovers its sign-in, registers handrail as a client, opens the browser.

Follows MCP's authorization spec: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414) and
dynamic client registration (RFC 7591). The sign-in itself, the tokens and their renewal are shared with apps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from handrail.features.apps import offers as apps
from handrail.features.gateway.model import Server, SignIn
from handrail.features.gateway.server_file import Entry, server_file
from handrail.kernel import strict_json
from handrail.ports.errors import AuthRequired, BadAnswer, Failure, NotFound
from handrail.ports.own_servers import find_own_ports
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

_LARGEST = 256 * 1024
_METADATA = re.compile(r'resource_metadata="?([^",\s]+)')
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def sign_in_secret(name: str) -> str:
    return apps.sign_in_secret(_app_id(name))


def _app_id(name: str) -> str:
    return f"mcp.{name}"


async def sign_in_grant(server: Server, stores: Stores, refused: Any = None) -> Any:
    """A `Grant` with the headers of the sign-in, renewed if `refused` was. None: there is no sign-in."""
    if server.sign_in is None:
        return None
    credentials, app = apps.credentials(stores), _app(server, server.sign_in)
    try:
        return await (credentials.grant(app) if refused is None else credentials.renew(app, refused))
    except AuthRequired as missing:
        raise AuthRequired(missing.message, hint=sign_in_hint(server.name)) from None


def sign_in_hint(name: str) -> str:
    return f"A person signs in with `handrail servers login {name}`."


async def sign_in(
    server: Server,
    stores: Stores,
    show: Callable[[str], None],
    *,
    client_id: str | None,
    timeout_seconds: float,
    tell: Callable[[str], None] = lambda message: None,
) -> None:
    """`show` opens or prints the address for the person's browser; before that, `tell` reports which hosts take part.

    AuthRequired, Declined, BadAnswer, Offline.
    """
    assert server.url is not None
    resource, issuer, scopes = await _resource(server.url)
    endpoints = await _endpoints(server.url, issuer)
    async with apps.loopback() as callback:
        client = client_id or await _register_client(server.url, endpoints, callback.address)
        details = SignIn(
            authorization_endpoint=validate_address(server.url, endpoints.get("authorization_endpoint")),
            token_endpoint=validate_address(server.url, endpoints.get("token_endpoint")),
            client_id=client,
            scopes=scopes,
            resource=resource,
        )
        hosts = [urlsplit(each).hostname or "" for each in (details.authorization_endpoint, details.token_endpoint)]
        tell(
            f"You sign in at {hosts[0]}; the token comes from {hosts[1]} and is sent to {urlsplit(resource).hostname}."
        )
        signed_in = msgspec.structs.replace(server, sign_in=details)
        await apps.sign_in(_app(signed_in, details), client, stores, callback, show, timeout_seconds=timeout_seconds)

    def change(entries: dict[str, Entry]) -> None:
        entry = entries.get(server.name)
        if entry is None or entry.server.digest != server.digest:
            raise NotFound(f"The server {server.name} was changed or removed just now.")
        entries[server.name] = msgspec.structs.replace(entry, server=signed_in)

    await run_in_thread(lambda: server_file(stores).change(change))


def _app(server: Server, details: SignIn) -> Any:
    assert server.url is not None
    return apps.signed_in_app(
        _app_id(server.name),
        server.name,
        server.url,
        authorization_endpoint=details.authorization_endpoint,
        token_endpoint=details.token_endpoint,
        scopes=details.scopes,
        resource=details.resource,
    )


async def _resource(url: str) -> tuple[str, str, tuple[str, ...]]:
    """Returns the audience of tokens, their issuer and the scopes; the server's own origin if it publishes nothing."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    for address in await _resource_addresses(url, origin, parts.path):
        metadata = await _fetch_json(validate_address(url, address))
        if metadata is not None:
            servers, scopes = metadata.get("authorization_servers"), metadata.get("scopes_supported")
            issuer = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], str) else origin
            resource = metadata.get("resource")
            if not isinstance(resource, str) or not f"{url.rstrip('/')}/".startswith(f"{resource.rstrip('/')}/"):
                raise BadAnswer(f"{origin} publishes a sign-in for another address: {str(resource)[:200]}.")
            names = scopes if isinstance(scopes, list) else []
            return resource, issuer, tuple(each for each in names if isinstance(each, str))
    return url, origin, ()


async def _resource_addresses(url: str, origin: str, path: str) -> list[str]:
    """The address from the server's challenge comes first."""
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    answer = await apps.fetch("POST", url, headers, b"{}", max_bytes=_LARGEST)
    match = _METADATA.search(answer.challenge)
    well_known = "/.well-known/oauth-protected-resource"
    return [*([match[1]] if match else []), f"{origin}{well_known}{path.rstrip('/')}", f"{origin}{well_known}"]


async def _endpoints(url: str, issuer: str) -> Mapping[str, Any]:
    for address in _issuer_addresses(issuer):
        metadata = await _fetch_json(validate_address(url, address))
        if metadata is not None:
            if str(metadata.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
                raise BadAnswer(f"{address} describes another sign-in server: {str(metadata.get('issuer'))[:200]}.")
            return metadata
    raise AuthRequired(f"{issuer} doesn't publish how to sign in.", hint="It may require a key: use --header.")


def _issuer_addresses(issuer: str) -> Iterator[str]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for document in ("oauth-authorization-server", "openid-configuration"):
        yield f"{origin}/.well-known/{document}{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


async def _register_client(url: str, endpoints: Mapping[str, Any], redirect: str) -> str:
    """Registers a client for this sign-in and returns its id."""
    if "registration_endpoint" not in endpoints:
        raise AuthRequired("The server doesn't let clients register themselves.", hint="Name one with --client-id.")
    registration = {
        "client_name": "handrail",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    headers = {"content-type": "application/json", "accept": "application/json"}
    address = validate_address(url, endpoints["registration_endpoint"])
    answer = await apps.fetch("POST", address, headers, msgspec.json.encode(registration), max_bytes=_LARGEST)
    response = _object(answer.body) if answer.status in (200, 201) else None
    if response is None or not isinstance(response.get("client_id"), str):
        raise AuthRequired("The server refused to register handrail.", hint="Name a client with --client-id.")
    client: str = response["client_id"]
    return client


def validate_address(url: str, address: Any) -> str:
    """SchemaChecks an address that the server at `url` published. BadAnswer if handrail must not call it.

    A server on the internet can't direct handrail to this machine or this network, no server can direct it to
    handrail itself, and tokens never travel unencrypted.
    """
    own = urlsplit(url)
    try:
        parts = urlsplit(address if isinstance(address, str) else "")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    is_loopback = host in _LOCAL
    is_same_origin = (parts.scheme, parts.netloc) == (own.scheme, own.netloc)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and (is_loopback or is_same_origin))
    is_near = not apps.is_local_name(host) or apps.is_local_name(own.hostname or "")
    is_handrail = is_loopback and port in find_own_ports()
    if not isinstance(address, str) or not host or not is_safe or not is_near or is_handrail:
        raise BadAnswer(f"{own.hostname} publishes a sign-in at an address that isn't allowed: {str(address)[:200]}.")
    return address


async def _fetch_json(address: str) -> Mapping[str, Any] | None:
    """The JSON object at an address, or None."""
    answer = await apps.fetch("GET", address, {"accept": "application/json"}, None, max_bytes=_LARGEST)
    return _object(answer.body) if answer.status == 200 else None


def _object(body: bytes) -> Mapping[str, Any] | None:
    try:
        value = strict_json.decode(body)
    except Failure:
        return None
    return value if isinstance(value, dict) else None
