"""What other features use of apps: a child process that speaks in lines, limits for schemas, HTTP and sign-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handrail.features.apps.backends.child import Child as Child
from handrail.features.apps.backends.child import Why as Why
from handrail.features.apps.calls.checks import SchemaWeight as SchemaWeight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    import httpcore2

    from handrail.features.apps.backends.network import Fetched
    from handrail.features.apps.model import App
    from handrail.features.apps.sign_in.credentials import StoredCredentials
    from handrail.features.apps.sign_ins import Loopback
    from handrail.ports.secrets import SecretInfo
    from handrail.ports.stores import Stores


def open_pool() -> httpcore2.AsyncConnectionPool:
    """HTTP connections, which reach public names only at public addresses."""
    import httpcore2

    from handrail.features.apps.backends.network import CheckedNetwork

    return httpcore2.AsyncConnectionPool(network_backend=CheckedNetwork())


def is_local_name(host: str) -> bool:
    """A host that no public DNS server can resolve: an IP address, a single word, a local suffix."""
    from handrail.features.apps.backends import network

    return network.is_local_name(host)


async def fetch(method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, most_bytes: int) -> Fetched:
    """One request, without redirects. Offline, BadAnswer, InvalidParams."""
    from handrail.features.apps.backends import network

    return await network.fetch(method, url, headers, body, most_bytes=most_bytes)


def credentials(stores: Stores) -> StoredCredentials:
    """Tokens that are renewed in time, for whoever `signed_in_app` describes."""
    from handrail.features.apps.sign_ins import credentials_in

    return credentials_in(stores)


def sign_in_secret(app: str) -> str:
    """Under which name the tokens are kept."""
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
    """A server as the sign-in knows it: where its tokens are sent, and how they are got."""
    from handrail.features.apps.model import App, HttpExecution, OAuth2

    auth = OAuth2(
        authorization_endpoint=authorization_endpoint,
        token_endpoint=token_endpoint,
        scopes=scopes,
        resource=resource or None,
    )
    return App(id=id, name=name, description="", execution=HttpExecution(base_url=url), tools=(), auth=auth)


def loopback() -> AbstractAsyncContextManager[Loopback]:
    """Where the browser comes back to."""
    from handrail.features.apps.sign_ins import loopback

    return loopback()


async def sign_in(
    app: App, client_id: str, stores: Stores, way_back: Loopback, show: Callable[[str], None], *, patience: float
) -> SecretInfo:
    """Signs in in the browser, which `show` opens, with a loopback that is open already. AuthRequired, Declined."""
    from contextlib import nullcontext

    from handrail.features.apps.backends.network import post_form
    from handrail.features.apps.sign_in.oauth import Client
    from handrail.features.apps.sign_in.signing_in import sign_in
    from handrail.features.apps.sign_ins import sign_in_lock_in

    return await sign_in(
        app,
        Client(client_id, None),
        stores.secrets,
        sign_in_lock_in(stores),
        post_form,
        lambda: nullcontext(way_back),
        show,
        patience=patience,
    )
