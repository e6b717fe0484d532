"""Signing in to a server over OAuth: what it publishes about its sign-in, a client for handrail, the browser.

Follows the authorization part of MCP: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414)
and dynamic client registration (RFC 7591). The sign-in itself, the tokens and their renewal are those of apps.
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
    return apps.sign_in_secret(_id(name))


def _id(name: str) -> str:
    return f"mcp.{name}"


async def bearer(server: Server, stores: Stores, refused: Any = None) -> Any:
    """A `Grant` with the headers of the sign-in; renewed where `refused` was. None: there is no sign-in."""
    if server.sign_in is None:
        return None
    credentials, app = apps.credentials(stores), _app(server, server.sign_in)
    try:
        return await (credentials.grant(app) if refused is None else credentials.renew(app, refused))
    except AuthRequired as missing:
        raise AuthRequired(missing.message, hint=how_to(server.name)) from None


def how_to(name: str) -> str:
    return f"A person signs in with `handrail servers login {name}`."


async def sign_in(
    server: Server,
    stores: Stores,
    show: Callable[[str], None],
    *,
    client_id: str | None,
    patience: float,
    tell: Callable[[str], None] = lambda words: None,
) -> None:
    """`show` opens or prints the address for the person's browser; `tell` says beforehand which hosts take part.

    AuthRequired, Declined, BadAnswer, Offline.
    """
    assert server.url is not None
    resource, issuer, scopes = await _resource(server.url)
    endpoints = await _endpoints(server.url, issuer)
    async with apps.loopback() as way_back:
        known = client_id or await _registered(server.url, endpoints, way_back.address)
        details = SignIn(
            authorization_endpoint=checked_address(server.url, endpoints.get("authorization_endpoint")),
            token_endpoint=checked_address(server.url, endpoints.get("token_endpoint")),
            client_id=known,
            scopes=scopes,
            resource=resource,
        )
        hosts = [urlsplit(each).hostname or "" for each in (details.authorization_endpoint, details.token_endpoint)]
        tell(
            f"You sign in at {hosts[0]}; the token comes from {hosts[1]} and is sent to {urlsplit(resource).hostname}."
        )
        signed_in = msgspec.structs.replace(server, sign_in=details)
        await apps.sign_in(_app(signed_in, details), known, stores, way_back, show, patience=patience)

    def change(entries: dict[str, Entry]) -> None:
        entry = entries.get(server.name)
        if entry is None or entry.server.digest != server.digest:
            raise NotFound(f"The server {server.name} was changed or removed meanwhile.")
        entries[server.name] = msgspec.structs.replace(entry, server=signed_in)

    await run_in_thread(lambda: server_file(stores).change(change))


def _app(server: Server, details: SignIn) -> Any:
    assert server.url is not None
    return apps.signed_in_app(
        _id(server.name),
        server.name,
        server.url,
        authorization_endpoint=details.authorization_endpoint,
        token_endpoint=details.token_endpoint,
        scopes=details.scopes,
        resource=details.resource,
    )


async def _resource(url: str) -> tuple[str, str, tuple[str, ...]]:
    """For whom tokens are meant, who issues them, and with which scopes. Where nothing is published, its own origin."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    for address in await _resource_addresses(url, origin, parts.path):
        found = await _published(checked_address(url, address))
        if found is not None:
            servers, scopes = found.get("authorization_servers"), found.get("scopes_supported")
            issuer = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], str) else origin
            resource = found.get("resource")
            if not isinstance(resource, str) or not f"{url.rstrip('/')}/".startswith(f"{resource.rstrip('/')}/"):
                raise BadAnswer(f"{origin} publishes a sign-in for another address: {str(resource)[:200]}.")
            names = scopes if isinstance(scopes, list) else []
            return resource, issuer, tuple(each for each in names if isinstance(each, str))
    return url, origin, ()


async def _resource_addresses(url: str, origin: str, path: str) -> list[str]:
    """Where it says so itself, first."""
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    answer = await apps.fetch("POST", url, headers, b"{}", most_bytes=_LARGEST)
    said = _METADATA.search(answer.challenge)
    known = "/.well-known/oauth-protected-resource"
    return [*([said[1]] if said else []), f"{origin}{known}{path.rstrip('/')}", f"{origin}{known}"]


async def _endpoints(url: str, issuer: str) -> Mapping[str, Any]:
    for address in _issuer_addresses(issuer):
        found = await _published(checked_address(url, address))
        if found is not None:
            if str(found.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
                raise BadAnswer(f"{address} describes another sign-in server: {str(found.get('issuer'))[:200]}.")
            return found
    raise AuthRequired(f"{issuer} doesn't publish how to sign in.", hint="It may require a key: use --header.")


def _issuer_addresses(issuer: str) -> Iterator[str]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    for known in ("oauth-authorization-server", "openid-configuration"):
        yield f"{origin}/.well-known/{known}{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


async def _registered(url: str, endpoints: Mapping[str, Any], redirect: str) -> str:
    """The id of a client that was made for this sign-in."""
    if "registration_endpoint" not in endpoints:
        raise AuthRequired("The server registers no clients by itself.", hint="Name one with --client-id.")
    wanted = {
        "client_name": "handrail",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    headers = {"content-type": "application/json", "accept": "application/json"}
    address = checked_address(url, endpoints["registration_endpoint"])
    answer = await apps.fetch("POST", address, headers, msgspec.json.encode(wanted), most_bytes=_LARGEST)
    made = _object(answer.body) if answer.status in (200, 201) else None
    if made is None or not isinstance(made.get("client_id"), str):
        raise AuthRequired("The server refused to register handrail.", hint="Name a client with --client-id.")
    client: str = made["client_id"]
    return client


def checked_address(url: str, address: Any) -> str:
    """An address that the server at `url` has published. BadAnswer for one that handrail must not call for it.

    A server on the internet must not lead handrail to this machine or this network, nobody to handrail itself, and no
    token over an open line.
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
        raise BadAnswer(f"{own.hostname} publishes a sign-in at an address that isn't called: {str(address)[:200]}.")
    return address


async def _published(address: str) -> Mapping[str, Any] | None:
    """A JSON object at an address; None where there is none."""
    answer = await apps.fetch("GET", address, {"accept": "application/json"}, None, most_bytes=_LARGEST)
    return _object(answer.body) if answer.status == 200 else None


def _object(body: bytes) -> Mapping[str, Any] | None:
    try:
        value = strict_json.decode(body)
    except Failure:
        return None
    return value if isinstance(value, dict) else None
