"""Credentials for apps: a key from the environment or the store, or tokens that are renewed in time.

One renewal at a time per app, in all processes: many servers treat a refresh token that is used twice as stolen.
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
    decoded_sign_in,
    encoded_sign_in,
    locked,
    secret_name,
)
from handrail.ports.errors import AuthRequired
from handrail.ports.secrets import KeyringAway, SecretStore

_LEEWAY_SECONDS = 30.0


class StoredCredentials:
    """The port `Credentials`, over the one secret store. `clock` gives seconds since 1970."""

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
        kept = await self._tokens(app)
        if self._is_over(kept):
            kept = await self._renewed(app, kept)
        return _with_token(kept)

    async def renew(self, app: App, refused: Grant) -> Grant:
        if not isinstance(app.auth, OAuth2):
            raise _required(app, f"{app.name} refused the key that it was called with.")
        kept = await self._tokens(app)
        if _with_token(kept) == refused:
            kept = await self._renewed(app, kept)
        return _with_token(kept)

    async def state(self, app: App) -> SignInState:
        """Asks no server."""
        if app.auth is None:
            return SignInState("none", True)
        kind: Literal["api_key", "oauth2"] = "api_key" if isinstance(app.auth, ApiKey) else "oauth2"
        if isinstance(app.auth, ApiKey) and self._from_environment(app.auth) is not None:
            return SignInState("api_key", True, "environment")
        try:
            kept = await self._kept(app)
        except AuthRequired as missing:
            return SignInState(kind, False, reason=missing.message)
        expires = kept.tokens.expires_at if isinstance(kept, StoredTokens) else None
        if isinstance(kept, StoredTokens) and kept.tokens.refresh_token is None and self._is_over(kept):
            return SignInState(kind, False, "store", expires, "The sign-in has expired.")
        return SignInState(kind, True, "store", expires)

    async def _key(self, app: App, auth: ApiKey) -> str:
        if (given := self._from_environment(auth)) is not None:
            return given
        kept = await self._kept(app)
        if not isinstance(kept, StoredKey):
            raise _required(app, f"{app.name} wants a key.")
        return kept.key

    def _from_environment(self, auth: ApiKey) -> str | None:
        return (self._environ.get(auth.env_var) or None) if auth.env_var is not None else None

    async def _tokens(self, app: App) -> StoredTokens:
        kept = await self._kept(app)
        if not isinstance(kept, StoredTokens):
            raise _required(app, f"{app.name} requires you to sign in.")
        return kept

    async def _kept(self, app: App) -> StoredSignIn:
        try:
            secret = await self._secrets.get(secret_name(app.id))
        except KeyringAway as away:
            raise AuthRequired(f"The sign-in to {app.name} can't be read: {away.message}", hint=away.hint) from None
        kept = decoded_sign_in(secret) if secret is not None else None
        if kept is None:
            raise _required(app, f"You aren't signed in to {app.name}.")
        if kept.bound != binding(app):
            raise _required(app, f"{app.name} is at another address than when you signed in.")
        return kept

    def _is_over(self, kept: StoredTokens) -> bool:
        expires = kept.tokens.expires_at
        return expires is not None and expires - _LEEWAY_SECONDS <= self._clock()

    async def _renewed(self, app: App, old: StoredTokens) -> StoredTokens:
        """All callers wait for one renewal, which goes on when they give up, because the new token must be stored."""
        renewal = self._renewals.get(app.id)
        if renewal is None:
            renewal = self._renewals[app.id] = asyncio.create_task(self._renewal(app, old))
            renewal.add_done_callback(lambda done: self._ended(app.id, done))
        return await asyncio.shield(renewal)

    def _ended(self, app: str, renewal: asyncio.Task[StoredTokens]) -> None:
        self._renewals.pop(app, None)
        if not renewal.cancelled():
            renewal.exception()  # told to those who wait; where nobody does, the next call finds out

    async def _renewal(self, app: App, old: StoredTokens) -> StoredTokens:
        assert isinstance(app.auth, OAuth2)
        async with locked(self._lock, app.id):
            kept = await self._tokens(app)
            if kept.tokens.access_token != old.tokens.access_token and not self._is_over(kept):
                return kept
            if kept.tokens.refresh_token is None:
                raise _required(app, f"The sign-in to {app.name} has expired.")
            address = app.auth.refresh_endpoint or app.auth.token_endpoint
            answer = await self._endpoint(address, refresh_form(app.auth, kept.tokens.refresh_token, kept.client))
            try:
                tokens = tokens_from(*answer, now=self._clock(), before=kept.tokens)
            except AuthRequired as over:
                raise _required(app, over.message) from None
            if (now := await self._tokens(app)) != kept:
                return now  # somebody has put another there meanwhile; who has forgotten it is out
            renewed = msgspec.structs.replace(kept, tokens=tokens)
            await self._secrets.put(secret_name(app.id), encoded_sign_in(renewed))
            return renewed


def _with_key(app: App, auth: ApiKey, key: str) -> Grant:
    value = f"{auth.prefix} {key}" if auth.prefix else key
    if auth.placement == "query":
        return Grant(query={auth.name: value})
    if not value.isascii() or not is_header_value(value):
        raise _required(app, f"The key for {app.name} contains characters that aren't allowed in a header.")
    return Grant(headers={auth.name: value})


def _with_token(kept: StoredTokens) -> Grant:
    return Grant(headers={"authorization": f"Bearer {kept.tokens.access_token}"})


def _required(app: App, message: str) -> AuthRequired:
    return AuthRequired(message, hint=f"A person signs in with `handrail apps login {app.id}`.")
