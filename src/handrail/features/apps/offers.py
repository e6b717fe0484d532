"""What other features use of apps: child processes that exchange lines, schema limits, HTTP and sign-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handrail.features.apps.backends.child import Child as Child
from handrail.features.apps.backends.child import EndReason as EndReason
from handrail.features.apps.calls.checks import SchemaWeight as SchemaWeight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    import httpcore2

    from handrail.features.apps.backends.network import FetchResult
    from handrail.features.apps.model import App
    from handrail.features.apps.sign_in.credentials import StoredCredentials
    from handrail.features.apps.sign_ins import Loopback
    from handrail.ports.secrets import SecretInfo
    from handrail.ports.stores import Stores


def open_pool() -> httpcore2.AsyncConnectionPool:
    """HTTP connections that reach public names only at public addresses."""
    import httpcore2

    from handrail.features.apps.backends.network import CheckedNetwork

    return httpcore2.AsyncConnectionPool(network_backend=CheckedNetwork())


def is_local_name(host: str) -> bool:
    """Whether no public DNS server can resolve this host: an IP address, a single word, a local suffix."""
    from handrail.features.apps.backends import network

    return network.is_local_name(host)


async def fetch(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, max_bytes: int
) -> FetchResult:
    """One request, without redirects. Offline, BadAnswer, InvalidParams."""
    from handrail.features.apps.backends import network

    return await network.fetch(method, url, headers, body, max_bytes=max_bytes)


def credentials(stores: Stores) -> StoredCredentials:
    """Tokens of apps made by `signed_in_app`, renewed before they expire."""
    from handrail.features.apps.sign_ins import open_credentials

    return open_credentials(stores)


def sign_in_secret(app: str) -> str:
    """The name under which the tokens are stored."""
    from handrail.features.apps.sign_in.stored import secret_name

    return secret_name(app)


def signed_in_app(
    id: str,
    name: str,
    url: str,
    *,
    authorization_endpoint: str,
    token_endpoint: str,
    scopes: tuple[str, ...],
    resource: str,
) -> App:
    """Describes a server as an app, for the sign-in: where tokens come from and where they are sent."""
    from handrail.features.apps.model import App, HttpExecution, OAuth2

    auth = OAuth2(
        authorization_endpoint=authorization_endpoint,
        token_endpoint=token_endpoint,
        scopes=scopes,
        resource=resource or None,
    )
    return App(id=id, name=name, description="", execution=HttpExecution(base_url=url), tools=(), auth=auth)


def loopback() -> AbstractAsyncContextManager[Loopback]:
    """The address that the browser returns to."""
    from handrail.features.apps.sign_ins import loopback

    return loopback()


async def sign_in(
    app: App, client_id: str, stores: Stores, callback: Loopback, show: Callable[[str], None], *, timeout_seconds: float
) -> SecretInfo:
    """Signs in through the browser, which `show` opens. `callback` is already open. AuthRequired, Declined."""
    from contextlib import nullcontext

    from handrail.features.apps.backends.network import post_form
    from handrail.features.apps.sign_in.oauth import Client
    from handrail.features.apps.sign_in.signing_in import sign_in
    from handrail.features.apps.sign_ins import sign_in_lock

    return await sign_in(
        app,
        Client(client_id, None),
        stores.secrets,
        sign_in_lock(stores),
        post_form,
        lambda: nullcontext(callback),
        show,
        timeout_seconds=timeout_seconds,
    )
