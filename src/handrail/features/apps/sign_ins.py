"""Sign-ins to apps, stored in the state directory, which all processes share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import sha256
from typing import TYPE_CHECKING

from handrail.ports.errors import InvalidParams

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.features.apps.model import App
    from handrail.features.apps.sign_in.credentials import StoredCredentials
    from handrail.features.apps.sign_in.stored import SignInLock
    from handrail.ports.secrets import Kept
    from handrail.ports.stores import Stores

_PATIENCE = 40.0  # longer than a token endpoint may take


def credentials_in(stores: Stores) -> StoredCredentials:
    from handrail.features.apps.sign_in.credentials import StoredCredentials

    async def post_form(url: str, form: str) -> tuple[int, bytes]:
        from handrail.features.apps.backends import network

        return await network.post_form(url, form)

    return StoredCredentials(stores.secrets, post_form, sign_in_lock_in(stores))


def sign_in_lock_in(stores: Stores) -> SignInLock:
    def lock(app: str) -> AbstractContextManager[None]:
        name = sha256(app.encode()).hexdigest()[:16]  # an id may be as long as a file's name
        return stores.lock(f"sign-in.{name}", _PATIENCE)

    return lock


async def sign_in_to(
    app: App,
    stores: Stores,
    show: Callable[[str], None],
    *,
    client_id: str | None,
    client_secret: str | None,
    patience: float,
) -> Kept:
    """Signs in in the browser, which `show` opens. InvalidParams, AuthRequired, Declined."""
    from handrail.features.apps.backends.loopback import loopback
    from handrail.features.apps.backends.network import post_form
    from handrail.features.apps.model import OAuth2
    from handrail.features.apps.sign_in.signing_in import client_of, sign_in

    if not isinstance(app.auth, OAuth2):
        raise InvalidParams(f"{app.name} has no sign-in in the browser.")
    client = client_of(app.auth, client_id, client_secret)
    return await sign_in(
        app, client, stores.secrets, sign_in_lock_in(stores), post_form, loopback, show, patience=patience
    )
