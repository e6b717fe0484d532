"""Credentials for apps: a key from the environment or the store, or tokens that are renewed before they expire.

One renewal at a time per app, across processes: many servers treat a refresh token that is used twice as stolen.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from handrail.features.apps.descriptors.parts import is_header_value
from handrail.features.apps.model import ApiKey, App, Grant, OAuth2
from handrail.features.apps.sign_in.oauth import refresh_form, tokens_from
from handrail.features.apps.sign_in.stored import (
    SignInLock,
    SignInState,
    StoredKey,
    StoredSignIn,
    StoredTokens,
    TokenEndpoint,
    binding,
    decode_sign_in,
    encode_sign_in,
    secret_name,
)
from handrail.ports.errors import AuthRequired
from handrail.ports.secrets import KeyringAway, SecretStore
from handrail.ports.waiting import enter_in_thread

_LEEWAY_SECONDS = 30.0


class StoredCredentials:
    """The port `Credentials`, over the secret store. `clock` returns seconds since 1970."""

    def __init__(
        self,
        secrets: SecretStore,
        endpoint: TokenEndpoint,
        lock: SignInLock,
        *,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = secrets
        self._endpoint = endpoint
        self._lock = lock
        self._environ = environ
        self._clock = clock
        self._renewals: dict[str, asyncio.Task[StoredTokens]] = {}

    async def grant(self, app: App) -> Grant:
        if isinstance(app.auth, ApiKey):
            return _with_key(app, app.auth, await self._key(app, app.auth))
        if not isinstance(app.auth, OAuth2):
            return Grant()
        stored = await self._tokens(app)
        if self._has_expired(stored):
            stored = await self._renew_once(app, stored)
        return _with_token(stored)

    async def renew(self, app: App, refused: Grant) -> Grant:
        if not isinstance(app.auth, OAuth2):
            raise _required(app, f"{app.name} refused the key that it was called with.")
        stored = await self._tokens(app)
        if _with_token(stored) == refused:
            stored = await self._renew_once(app, stored)
        return _with_token(stored)

    async def state(self, app: App) -> SignInState:
        """Contacts no server."""
        if app.auth is None:
            return SignInState("none", True)
        kind: Literal["api_key", "oauth2"] = "api_key" if isinstance(app.auth, ApiKey) else "oauth2"
        if isinstance(app.auth, ApiKey) and self._from_environment(app.auth) is not None:
            return SignInState("api_key", True, "environment")
        try:
            stored = await self._load(app)
        except AuthRequired as missing:
            return SignInState(kind, False, reason=missing.message)
        expires = stored.tokens.expires_at if isinstance(stored, StoredTokens) else None
        if isinstance(stored, StoredTokens) and stored.tokens.refresh_token is None and self._has_expired(stored):
            return SignInState(kind, False, "store", expires, "The sign-in has expired.")
        return SignInState(kind, True, "store", expires)

    async def _key(self, app: App, auth: ApiKey) -> str:
        if (key := self._from_environment(auth)) is not None:
            return key
        stored = await self._load(app)
        if not isinstance(stored, StoredKey):
            raise _required(app, f"{app.name} requires a key.")
        return stored.key

    def _from_environment(self, auth: ApiKey) -> str | None:
        return (self._environ.get(auth.env_var) or None) if auth.env_var is not None else None

    async def _tokens(self, app: App) -> StoredTokens:
        stored = await self._load(app)
        if not isinstance(stored, StoredTokens):
            raise _required(app, f"{app.name} requires you to sign in.")
        return stored

    async def _load(self, app: App) -> StoredSignIn:
        try:
            secret = await self._secrets.get(secret_name(app.id))
        except KeyringAway as failure:
            raise AuthRequired(
                f"The sign-in to {app.name} can't be read: {failure.message}", hint=failure.hint
            ) from None
        stored = decode_sign_in(secret) if secret is not None else None
        if stored is None:
            raise _required(app, f"You aren't signed in to {app.name}.")
        if stored.bound != binding(app):
            raise _required(app, f"{app.name} has moved to another address since you signed in.")
        return stored

    def _has_expired(self, stored: StoredTokens) -> bool:
        expires = stored.tokens.expires_at
        return expires is not None and expires - _LEEWAY_SECONDS <= self._clock()

    async def _renew_once(self, app: App, old: StoredTokens) -> StoredTokens:
        """All callers share one renewal, which continues if they give up, because the new token must be stored."""
        renewal = self._renewals.get(app.id)
        if renewal is None:
            renewal = self._renewals[app.id] = asyncio.create_task(self._run_renewal(app, old))
            renewal.add_done_callback(lambda done: self._finish_renewal(app.id, done))
        return await asyncio.shield(renewal)

    def _finish_renewal(self, app: str, renewal: asyncio.Task[StoredTokens]) -> None:
        self._renewals.pop(app, None)
        if not renewal.cancelled():
            renewal.exception()  # already raised to its callers; without any, the next call reports it

    async def _run_renewal(self, app: App, old: StoredTokens) -> StoredTokens:
        assert isinstance(app.auth, OAuth2)
        async with enter_in_thread(self._lock(app.id)):
            stored = await self._tokens(app)
            if stored.tokens.access_token != old.tokens.access_token and not self._has_expired(stored):
                return stored
            if stored.tokens.refresh_token is None:
                raise _required(app, f"The sign-in to {app.name} has expired.")
            address = app.auth.refresh_endpoint or app.auth.token_endpoint
            answer = await self._endpoint(address, refresh_form(app.auth, stored.tokens.refresh_token, stored.client))
            try:
                tokens = tokens_from(*answer, now=self._clock(), before=stored.tokens)
            except AuthRequired as failure:
                raise _required(app, failure.message) from None
            if (now := await self._tokens(app)) != stored:
                return now  # replaced in the meantime; if the person signed out, `_tokens` has raised
            renewed = msgspec.structs.replace(stored, tokens=tokens)
            await self._secrets.put(secret_name(app.id), encode_sign_in(renewed))
            return renewed


def _with_key(app: App, auth: ApiKey, key: str) -> Grant:
    value = f"{auth.prefix} {key}" if auth.prefix else key
    if auth.placement == "query":
        return Grant(query={auth.name: value})
    if not value.isascii() or not is_header_value(value):
        raise _required(app, f"The key for {app.name} contains characters that aren't allowed in a header.")
    return Grant(headers={auth.name: value})


def _with_token(stored: StoredTokens) -> Grant:
    return Grant(headers={"authorization": f"Bearer {stored.tokens.access_token}"})


def _required(app: App, message: str) -> AuthRequired:
    return AuthRequired(message, hint=f"A person signs in with `handrail apps login {app.id}`.")
