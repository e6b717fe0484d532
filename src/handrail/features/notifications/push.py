"""Web Push: encrypts a message for one browser (RFC 8291), signs for us (VAPID, RFC 8292), hands it to its service."""

from __future__ import annotations

import asyncio
import binascii
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import msgspec

from handrail.ports.errors import InvalidParams

if TYPE_CHECKING:
    import httpcore2
    from py_vapid import Vapid02

    from handrail.features.notifications.message import Message
    from handrail.ports.push import PushSubscription
    from handrail.ports.secrets import Secret

Outcome = Literal["sent", "gone", "later", "refused"]
"""gone: the browser has unsubscribed. later: the service can't take it now. refused: it never will."""

KEY = "push:key"
"""The private key's name in the secret store."""

SERVICES = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
)
_SERVICE_ENDS = (".notify.windows.com", ".push.apple.com", ".push.services.mozilla.com")
_LIFETIME_SECONDS = 3600
_TOKEN_SECONDS = 6 * 3600
_ANSWER_SECONDS = 15.0
_LONGEST_ENDPOINT = 2000
_MOST_BYTES = 3000  # encrypted at most 4096, which every service takes


def new_key() -> str:
    """A private key, as PEM."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from py_vapid import Vapid02

    vapid = Vapid02()
    vapid.generate_keys()
    pem: bytes = vapid.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode()


def public_key(key: Secret) -> str:
    """As browsers take it: `applicationServerKey`. InvalidParams where the key is none."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = _vapid(key).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return _spelled(point)


def check(subscription: PushSubscription, more_services: Collection[str]) -> None:
    """InvalidParams: a server sends nothing to addresses that aren't a push service's."""
    parts = urlsplit(subscription.endpoint)
    origin = f"{parts.scheme}://{parts.netloc}"
    host = parts.hostname or ""
    is_known = parts.scheme == "https" and parts.port is None and parts.username is None
    is_known = is_known and (host in SERVICES or host.endswith(_SERVICE_ENDS))
    if len(subscription.endpoint) > _LONGEST_ENDPOINT or not (is_known or origin in more_services):
        raise InvalidParams(
            f"{host or 'This address'} isn't a known push service.",
            hint=f'If you trust it, add `push_services = ["{origin}"]` to config.toml.',
            field="endpoint",
        )
    if len(_read(subscription.p256dh, "p256dh")) != 65 or len(_read(subscription.auth, "auth")) != 16:
        raise InvalidParams("The subscription's keys have another length than RFC 8291 says.", field="keys")


class PushSender:
    """`contact` is whom a push service may write to."""

    def __init__(self, contact: str) -> None:
        self._contact = contact
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def send(self, subscription: PushSubscription, message: Message, key: Secret) -> tuple[Outcome, str]:
        """What came of it, and why, without the endpoint, which is a secret."""
        import httpcore2

        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(max_connections=10, keepalive_expiry=30.0, retries=0)
        host = urlsplit(subscription.endpoint).netloc
        headers, body = await asyncio.to_thread(sealed, subscription, message, key, self._contact)
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                answer = await self._pool.request(
                    "POST", subscription.endpoint, headers=[*headers.items()], content=body
                )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as away:
            return "later", f"{host} can't be reached: {str(away)[:200] or type(away).__name__}"
        status = answer.status
        if 200 <= status < 300:
            return "sent", ""
        if status in (404, 410):
            return "gone", f"{host} says that this browser has unsubscribed"
        return "later" if status == 429 or status >= 500 else "refused", f"{host} answered with HTTP {status}"

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()


def sealed(subscription: PushSubscription, message: Message, key: Secret, contact: str) -> tuple[dict[str, str], bytes]:
    """Headers and body of the request. Takes a few milliseconds of CPU."""
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    parts = urlsplit(subscription.endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + _TOKEN_SECONDS,
        "sub": contact,
    }
    body = http_ece.encrypt(
        _content(message),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_read(subscription.p256dh, "p256dh"),
        auth_secret=_read(subscription.auth, "auth"),
        version="aes128gcm",
    )
    headers = {
        "authorization": _vapid(key).sign(claims)["Authorization"],
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "ttl": str(_LIFETIME_SECONDS),
        "urgency": "high",
    }
    return headers, body


def _content(message: Message) -> bytes:
    data = {"title": message.title, "body": message.body, "url": message.url, "tag": message.tag}
    while len(encoded := msgspec.json.encode(data)) > _MOST_BYTES:
        data["body"] = data["body"][: len(data["body"]) // 2]
    return encoded


def _vapid(key: Secret) -> Vapid02:
    from py_vapid import Vapid02

    try:
        return Vapid02.from_pem(key.reveal().encode())
    except (ValueError, TypeError, binascii.Error):
        raise InvalidParams(
            "The push key can't be read.", hint="Make another one with `handrail team push-key FILE`."
        ) from None


def _read(text: str, field: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raise InvalidParams(f"`{field}` must be base64url.", field=field) from None


def _spelled(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
