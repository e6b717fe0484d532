"""Signs a person in to an app, with a key or through the browser, and out again."""

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
    OpenCallback,
    SignInLock,
    StoredKey,
    StoredSignIn,
    StoredTokens,
    TokenEndpoint,
    binding,
    encode_sign_in,
    secret_name,
)
from handrail.ports.errors import AuthRequired, InvalidParams
from handrail.ports.secrets import Secret, SecretInfo, SecretStore
from handrail.ports.waiting import enter_in_thread


async def store_key(app: App, key: Secret, secrets: SecretStore, lock: SignInLock) -> SecretInfo:
    """InvalidParams, without quoting the key."""
    value = key.reveal().strip()
    if not isinstance(app.auth, ApiKey):
        raise InvalidParams(f"{app.name} takes no key.", hint=_sign_in_hint(app))
    if not value or not value.isascii() or not is_header_value(value):
        raise InvalidParams("That isn't a key: it is empty or contains invalid characters.")
    return await _put(app, StoredKey(bound=binding(app), key=value), secrets, lock)


async def sign_in(
    app: App,
    client: Client,
    secrets: SecretStore,
    lock: SignInLock,
    endpoint: TokenEndpoint,
    open_callback: OpenCallback,
    show: Callable[[str], None],
    *,
    timeout_seconds: float,
    clock: Callable[[], float] = time.time,
) -> SecretInfo:
    """`show` opens or prints the address for the person's browser. AuthRequired if nobody came back in time."""
    if not isinstance(app.auth, OAuth2):
        raise InvalidParams(f"{app.name} has no sign-in through the browser.", hint=_sign_in_hint(app))
    attempt = Attempt()
    async with open_callback() as callback:
        show(authorization_address(app.auth, client, attempt, callback.address))
        try:
            async with asyncio.timeout(timeout_seconds):
                query = await callback.query(attempt.state)
        except TimeoutError:
            raise AuthRequired(f"The sign-in wasn't completed within {timeout_seconds:g} seconds.") from None
        redirect = callback.address
    code = code_from(query, attempt)
    answer = await endpoint(app.auth.token_endpoint, exchange_form(app.auth, code, client, attempt, redirect))
    tokens = tokens_from(*answer, now=clock())
    stored = StoredTokens(bound=binding(app), tokens=tokens, client_id=client.id, client_secret=client.secret)
    return await _put(app, stored, secrets, lock)


async def sign_out(app_id: str, secrets: SecretStore, lock: SignInLock) -> bool:
    """Returns whether there was a sign-in. Works for apps without a descriptor too. Waits for a running renewal."""
    async with enter_in_thread(lock(app_id)):
        return await secrets.forget(secret_name(app_id))


async def _put(app: App, stored: StoredSignIn, secrets: SecretStore, lock: SignInLock) -> SecretInfo:
    async with enter_in_thread(lock(app.id)):
        return await secrets.put(secret_name(app.id), encode_sign_in(stored))


def choose_client(auth: OAuth2, client_id: str | None, client_secret: str | None) -> Client:
    if (id := client_id or auth.client_id) is None:
        raise InvalidParams(
            "The descriptor names no client id to sign in with.",
            hint="Register a native client with the app's vendor, and give its id with --client-id.",
        )
    return Client(id, client_secret)


def _sign_in_hint(app: App) -> str:
    match app.auth:
        case ApiKey():
            return "It requires a key."
        case OAuth2():
            return "Its sign-in is through the browser."
        case _:
            return "It needs no sign-in."
