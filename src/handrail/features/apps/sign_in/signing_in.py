"""A person signs in to an app, with a key or in the browser, and signs out."""

import asyncio
import time
from collections.abc import Callable

from handrail.features.apps.descriptors.parts import is_header_value
from handrail.features.apps.model import ApiKey, App, OAuth2
from handrail.features.apps.sign_in.oauth import (
    Attempt,
    Client,
    authorization_address,
    code_from,
    exchange_form,
    tokens_from,
)
from handrail.features.apps.sign_in.stored import (
    Returning,
    SignInLock,
    StoredKey,
    StoredSignIn,
    StoredTokens,
    TokenEndpoint,
    binding,
    encoded_sign_in,
    locked,
    secret_name,
)
from handrail.ports.errors import AuthRequired, InvalidParams
from handrail.ports.secrets import Secret, SecretInfo, SecretStore


async def keep_key(app: App, key: Secret, secrets: SecretStore, lock: SignInLock) -> SecretInfo:
    """InvalidParams, without quoting the key."""
    value = key.reveal().strip()
    if not isinstance(app.auth, ApiKey):
        raise InvalidParams(f"{app.name} takes no key.", hint=_how(app))
    if not value or not value.isascii() or not is_header_value(value):
        raise InvalidParams("That isn't a key: it is empty or contains invalid characters.")
    return await _put(app, StoredKey(bound=binding(app), key=value), secrets, lock)


async def sign_in(
    app: App,
    client: Client,
    secrets: SecretStore,
    lock: SignInLock,
    endpoint: TokenEndpoint,
    returning: Returning,
    show: Callable[[str], None],
    *,
    patience: float,
    clock: Callable[[], float] = time.time,
) -> SecretInfo:
    """`show` opens or prints the address for the person's browser. AuthRequired if nobody came back in time."""
    if not isinstance(app.auth, OAuth2):
        raise InvalidParams(f"{app.name} has no sign-in in the browser.", hint=_how(app))
    attempt = Attempt()
    async with returning() as way_back:
        show(authorization_address(app.auth, client, attempt, way_back.address))
        try:
            async with asyncio.timeout(patience):
                query = await way_back.query(attempt.state)
        except TimeoutError:
            raise AuthRequired(f"The sign-in wasn't completed within {patience:g} seconds.") from None
        redirect = way_back.address
    code = code_from(query, attempt)
    answer = await endpoint(app.auth.token_endpoint, exchange_form(app.auth, code, client, attempt, redirect))
    tokens = tokens_from(*answer, now=clock())
    kept = StoredTokens(bound=binding(app), tokens=tokens, client_id=client.id, client_secret=client.secret)
    return await _put(app, kept, secrets, lock)


async def sign_out(app_id: str, secrets: SecretStore, lock: SignInLock) -> bool:
    """Whether there was a sign-in. Also for an app whose descriptor is gone. Waits for a running renewal."""
    async with locked(lock, app_id):
        return await secrets.forget(secret_name(app_id))


async def _put(app: App, kept: StoredSignIn, secrets: SecretStore, lock: SignInLock) -> SecretInfo:
    async with locked(lock, app.id):
        return await secrets.put(secret_name(app.id), encoded_sign_in(kept))


def client_of(auth: OAuth2, client_id: str | None, client_secret: str | None) -> Client:
    if (known := client_id or auth.client_id) is None:
        raise InvalidParams(
            "The descriptor names no client id to sign in with.",
            hint="Register a native client at the app's vendor, and give its id with --client-id.",
        )
    return Client(known, client_secret)


def _how(app: App) -> str:
    match app.auth:
        case ApiKey():
            return "It wants a key."
        case OAuth2():
            return "It is signed in to in the browser."
        case _:
            return "It needs no sign-in."
