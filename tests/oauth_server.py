"""An authorization server for tests, with a user who consents: one-time codes, PKCE, rotating tokens."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit


class OAuthServer:
    """Besides its endpoints, there is an app at `/api/…` that requires a live access token or the key `good-key`."""

    def __init__(self) -> None:
        self.challenges: dict[str, tuple[str, str]] = {}
        self.refresh_tokens: set[str] = set()
        self.access_tokens: set[str] = set()
        self.forms: list[dict[str, str]] = []
        self.calls: list[dict[str, str]] = []
        self.asked: list[dict[str, str]] = []
        self.lifetime: Any = 3600
        self.refuses_refresh = False
        self.answer: tuple[int, bytes] | None = None
        self._given = 0
        self._turn = threading.Lock()
        self.base = ""

    def authorized(self, query: dict[str, str]) -> str:
        """Where the browser is sent back to."""
        self.asked.append(query)
        code = self._new("code")
        self.challenges[code] = (query["code_challenge"], query["redirect_uri"])
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> tuple[int, bytes]:
        with self._turn:
            self.forms.append(form)
            if self.answer is not None:
                return self.answer
            if form["grant_type"] == "refresh_token":
                if self.refuses_refresh or form["refresh_token"] not in self.refresh_tokens:
                    return 400, b'{"error": "invalid_grant", "error_description": "The token was revoked."}'
                self.refresh_tokens.discard(form["refresh_token"])
            else:
                challenge, redirect = self.challenges.pop(form.get("code", ""), ("", ""))
                digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
                proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                if proof != challenge or form["redirect_uri"] != redirect:
                    return 400, b'{"error": "invalid_grant"}'
            access, refresh = self._new("access"), self._new("refresh")
            self.access_tokens = {access}
            self.refresh_tokens.add(refresh)
        reply = {"access_token": access, "token_type": "Bearer", "refresh_token": refresh, "expires_in": self.lifetime}
        return 200, json.dumps(reply).encode()

    def called(self, headers: dict[str, str], query: dict[str, str], body: bytes) -> tuple[int, bytes]:
        self.calls.append(headers)
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.access_tokens and "good-key" not in (headers.get("x-key"), query.get("key")):
            return 401, b"{}"
        return 200, json.dumps({"echo": json.loads(body or b"{}")}).encode()

    def _new(self, kind: str) -> str:
        self._given += 1
        return f"{kind}-secret-{self._given}"


@contextmanager
def oauth_server() -> Iterator[OAuthServer]:
    server = OAuthServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path == "/authorize":
                self._send(302, b"", server.authorized(query))
            else:
                self._send(*server.called(self._headers(), query, b""))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path == "/token":
                self._send(*server.token({name: values[0] for name, values in parse_qs(body.decode()).items()}))
            else:
                query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                self._send(*server.called(self._headers(), query, body))

        def _headers(self) -> dict[str, str]:
            return {name.lower(): value for name, value in self.headers.items()}

        def _send(self, status: int, body: bytes, location: str | None = None) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            if location is not None:
                self.send_header("location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server.base = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
