"""A stored sign-in, which is bound to one app at one address, and the types that signing in needs."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

import msgspec

from handrail.features.apps.model import ApiKey, App, HttpExecution, OAuth2
from handrail.features.apps.sign_in.oauth import Client, Tokens
from handrail.ports.secrets import Secret
from handrail.ports.unreadable_json import UNREADABLE_JSON

TokenEndpoint = Callable[[str, str], Awaitable[tuple[int, bytes]]]
"""Posts a form to an address and returns status and body. Offline, BadAnswer."""


class SignInCallback(Protocol):
    """Where the browser comes back to. Only the first request with `state` counts."""

    address: str

    async def query(self, state: str) -> str:
        """Waits for the browser and returns the query of its address."""
        ...


OpenCallback = Callable[[], AbstractAsyncContextManager[SignInCallback]]


@dataclass(frozen=True, slots=True)
class SignInState:
    """The state of a sign-in, without secrets. `expires_at` is in seconds since 1970."""

    kind: Literal["none", "api_key", "oauth2"]
    is_signed_in: bool
    source: Literal["environment", "store"] | None = None
    expires_at: float | None = None
    reason: str | None = None
    """Why a stored sign-in is not valid."""


SignInLock = Callable[[str], AbstractContextManager[None]]
"""A lock per app id that all processes share. Blocks."""


class StoredKey(msgspec.Struct, frozen=True, tag="api_key", kw_only=True):
    bound: str
    key: str

    def __repr__(self) -> str:
        return "StoredKey()"


class StoredTokens(msgspec.Struct, frozen=True, tag="oauth2", kw_only=True):
    bound: str
    tokens: Tokens
    client_id: str
    client_secret: str | None = None

    def __repr__(self) -> str:
        return f"StoredTokens({self.tokens!r})"

    @property
    def client(self) -> Client:
        return Client(self.client_id, self.client_secret)


StoredSignIn = StoredKey | StoredTokens
_DECODER: msgspec.json.Decoder[StoredSignIn] = msgspec.json.Decoder(StoredSignIn)


def secret_name(app_id: str) -> str:
    return f"app:{app_id}:sign-in"


def encode_sign_in(sign_in: StoredSignIn) -> Secret:
    return Secret(msgspec.json.encode(sign_in).decode())


def decode_sign_in(secret: Secret) -> StoredSignIn | None:
    """None if something else is stored there."""
    try:
        return _DECODER.decode(secret.reveal())
    except (ValueError, *UNREADABLE_JSON):
        return None


def binding(app: App) -> str:
    """A digest of where credentials are sent, and how."""
    place: Any = msgspec.to_builtins(app.execution)
    if isinstance(app.execution, HttpExecution):
        parts = urlsplit(app.execution.base_url)
        place = f"{parts.scheme}://{parts.netloc}".lower()
    auth: Any = None
    if isinstance(app.auth, ApiKey):
        auth = [app.auth.placement, app.auth.name.lower()]
    elif isinstance(app.auth, OAuth2):
        auth = [app.auth.token_endpoint, app.auth.refresh_endpoint]
    return sha256(msgspec.json.encode([app.id, place, auth], order="deterministic")).hexdigest()
