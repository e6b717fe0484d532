"""Web Push: encrypts a message for one browser (RFC 8291), signs it (VAPID, RFC 8292), sends it to the push service."""

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
"""gone: the browser has unsubscribed. later: the service can't accept it now. refused: it never will."""

KEY = "push:key"
"""The name of the private key in the secret store."""

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
_MAX_BYTES = 3000  # at most 4096 when encrypted, which every service accepts


def new_key() -> str:
    """Returns a new private key, as PEM."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from py_vapid import Vapid02

    vapid = Vapid02()
    vapid.generate_keys()
    pem: bytes = vapid.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode()


def public_key(key: Secret) -> str:
    """The public key as browsers expect it: `applicationServerKey`. InvalidParams if the key is invalid."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = _vapid(key).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return urlsafe_b64encode(point).rstrip(b"=").decode()


def check(subscription: PushSubscription, more_services: Collection[str]) -> None:
    """InvalidParams: the endpoint isn't a push service's, and a server must send to no other addresses."""
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
        raise InvalidParams("The subscription's keys don't have the length that RFC 8291 requires.", field="keys")


class PushSender:
    """`contact` is an address that push services may write to."""

    def __init__(self, contact: str) -> None:
        self._contact = contact
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def send(self, subscription: PushSubscription, message: Message, key: Secret) -> tuple[Outcome, str]:
        """Returns the outcome and the reason, without the endpoint, which is a secret."""
        import httpcore2

        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(max_connections=10, keepalive_expiry=30.0, retries=0)
        host = urlsplit(subscription.endpoint).netloc
        headers, body = await asyncio.to_thread(seal, subscription, message, key, self._contact)
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                answer = await self._pool.request(
                    "POST", subscription.endpoint, headers=[*headers.items()], content=body
                )
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, OSError) as error:
            return "later", f"{host} can't be reached: {str(error)[:200] or type(error).__name__}"
        status = answer.status
        if 200 <= status < 300:
            return "sent", ""
        if status in (404, 410):
            return "gone", f"{host} reports that this browser has unsubscribed"
        return "later" if status == 429 or status >= 500 else "refused", f"{host} answered with HTTP {status}"

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()


def seal(subscription: PushSubscription, message: Message, key: Secret, contact: str) -> tuple[dict[str, str], bytes]:
    """Returns headers and body of the request. Takes a few milliseconds of CPU."""
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
    while len(encoded := msgspec.json.encode(data)) > _MAX_BYTES:
        data["body"] = data["body"][: len(data["body"]) // 2]
    return encoded


def _vapid(key: Secret) -> Vapid02:
    from py_vapid import Vapid02

    try:
        return Vapid02.from_pem(key.reveal().encode())
    except (ValueError, TypeError, binascii.Error):
        raise InvalidParams(
            "The push key can't be read.", hint="Create a new one with `handrail team push-key FILE`."
        ) from None


def _read(text: str, field: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raise InvalidParams(f"`{field}` must be base64url.", field=field) from None
