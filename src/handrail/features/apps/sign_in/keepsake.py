"""What is kept of a sign-in, and what it is good for: the very app, at the very address, that it was meant for.

A descriptor is a file that others may write. One that leads elsewhere gets nothing that was given to the one before.
"""

from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import msgspec

from handrail.features.apps.model import ApiKey, App, HttpExecution, OAuth2
from handrail.features.apps.sign_in.oauth import Client, Tokens
from handrail.ports.secrets import Secret


class KeptKey(msgspec.Struct, frozen=True, tag="api_key", kw_only=True):
    bound: str
    key: str

    def __repr__(self) -> str:
        return "KeptKey()"


class KeptTokens(msgspec.Struct, frozen=True, tag="oauth2", kw_only=True):
    bound: str
    tokens: Tokens
    client_id: str
    client_secret: str | None = None

    def __repr__(self) -> str:
        return f"KeptTokens({self.tokens!r})"

    @property
    def client(self) -> Client:
        return Client(self.client_id, self.client_secret)


Keepsake = KeptKey | KeptTokens
_DECODER: msgspec.json.Decoder[Keepsake] = msgspec.json.Decoder(Keepsake)


def secret_name(app_id: str) -> str:
    return f"app:{app_id}:sign-in"


def encoded(keepsake: Keepsake) -> Secret:
    return Secret(msgspec.json.encode(keepsake).decode())


def decoded(secret: Secret) -> Keepsake | None:
    """None where somebody has put something else there."""
    try:
        return _DECODER.decode(secret.reveal())
    except (msgspec.DecodeError, ValueError):
        return None


def binding(app: App) -> str:
    """Of where it would be sent, and how."""
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
