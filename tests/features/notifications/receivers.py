"""Receivers of notifications on loopback: a push service that verifies and decrypts, a webhook, a mail server."""

import json
import struct
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.team_engines import free_port


class HttpReceiver:
    """`statuses` are the next answers by path; after them, everything is accepted."""

    def __init__(self) -> None:
        self.received: list[tuple[str, Mapping[str, str], bytes]] = []
        self.statuses: dict[str, list[int]] = {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.received.append((self.path, {name.lower(): text for name, text in self.headers.items()}, body))
                waiting = receiver.statuses.get(self.path, [])
                self.send_response(waiting.pop(0) if waiting else 201)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def at(self, path: str) -> list[tuple[Mapping[str, str], bytes]]:
        return [(headers, body) for where, headers, body in self.received if where == path]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Subscriber:
    """A browser with its own keys, subscribed to the tests' push service. Decrypts by RFC 8291 and RFC 8292."""

    def __init__(self, service: HttpReceiver, name: str) -> None:
        self._service, self._path = service, f"/push/{name}-{'s' * 40}"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"

    @property
    def endpoint(self) -> str:
        return self._service.origin + self._path

    @property
    def subscription(self) -> dict[str, Any]:
        keys = {"p256dh": spelled(self._point), "auth": spelled(self._auth)}
        return {"endpoint": self.endpoint, "keys": keys, "expirationTime": None}

    def answers(self, *statuses: int) -> None:
        self._service.statuses[self._path] = list(statuses)

    @property
    def tries(self) -> int:
        return len(self._service.at(self._path))

    def messages(self, public_key: str) -> list[dict[str, Any]]:
        """The messages that arrived, each verified to be signed with this key for this service."""
        return [self._read(headers, body, public_key) for headers, body in self._service.at(self._path)]

    @property
    def _point(self) -> bytes:
        return self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def _read(self, headers: Mapping[str, str], body: bytes, public_key: str) -> dict[str, Any]:
        assert headers["content-encoding"] == "aes128gcm"
        assert int(headers["ttl"]) > 0
        claims = signed(headers["authorization"], public_key)
        assert claims["aud"] == self._service.origin
        assert time.time() < claims["exp"] <= time.time() + 24 * 3600
        assert claims["sub"].startswith(("mailto:", "https://"))
        salt, (size, length) = body[:16], struct.unpack("!LB", body[16:21])
        sender = body[21 : 21 + length]
        assert len(body) - 21 - length <= size
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        secret = derived(shared, self._auth, b"WebPush: info\x00" + self._point + sender, 32)
        key = derived(secret, salt, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = derived(secret, salt, b"Content-Encoding: nonce\x00", 12)
        padded = AESGCM(key).decrypt(nonce, body[21 + length :], None).rstrip(b"\x00")
        assert padded.endswith(b"\x02"), "the only record is the last one"
        data: dict[str, Any] = json.loads(padded[:-1])
        return data


def signed(authorization: str, public_key: str) -> dict[str, Any]:
    """The claims, after verifying the signature."""
    scheme, _, rest = authorization.partition(" ")
    parts = dict(part.split("=", 1) for part in rest.split(","))
    assert (scheme, parts["k"]) == ("vapid", public_key)
    head, claims, signature = parts["t"].split(".")
    assert json.loads(read(head))["alg"] == "ES256"
    raw = read(signature)
    pair = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read(public_key))
    point.verify(encode_dss_signature(*pair), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    data: dict[str, Any] = json.loads(read(claims))
    return data


def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def read(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def spelled(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


class Mailbox:
    """The mails that a mail server received."""

    def __init__(self) -> None:
        self.letters: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.letters.append(envelope.content.decode())
        return "250 Taken"


@contextmanager
def mail_server() -> Iterator[tuple[Mailbox, int]]:
    mailbox = Mailbox()
    controller = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield mailbox, controller.port
    finally:
        controller.stop()
