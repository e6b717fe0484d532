"""An MCP server over HTTP that requires a sign-in, and its sign-in server, on one loopback port."""

import base64
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.features.gateway.rig import SAY


class OAuthServer:
    """`issued` are the valid tokens. With `is_open`, no sign-in is needed."""

    def __init__(self, *, is_open: bool = False) -> None:
        self.is_open = is_open
        self.issued: set[str] = set()
        self.forms: list[dict[str, str]] = []
        self.clients: dict[str, list[str]] = {}
        self.challenges: dict[str, str] = {}
        self.calls = 0
        self._is_gone = False
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.origin = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.url = f"{self.origin}/mcp"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_gone = True
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words: Any) -> None:
                """Logs nothing."""

            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                if path == "/authorize":
                    self._authorize({name: value[0] for name, value in parse_qs(urlsplit(self.path).query).items()})
                elif path == "/.well-known/oauth-protected-resource/mcp":
                    self._json({"resource": owner.url, "authorization_servers": [owner.origin]})
                elif path == "/.well-known/oauth-authorization-server":
                    self._json(
                        {"issuer": owner.origin}
                        | {f"{name}_endpoint": f"{owner.origin}/{path}" for name, path in ENDPOINTS.items()}
                    )
                else:
                    self._json({}, 405 if path == "/mcp" else 404)

            def do_POST(self) -> None:
                if owner._is_gone:  # a connection that was kept open
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path = urlsplit(self.path).path
                if path == "/register":
                    made = f"client{len(owner.clients)}"
                    owner.clients[made] = json.loads(body)["redirect_uris"]
                    self._json({"client_id": made}, 201)
                elif path == "/token":
                    self._token({name: value[0] for name, value in parse_qs(body.decode()).items()})
                else:
                    self._mcp(json.loads(body))

            def do_DELETE(self) -> None:
                self._json({})

            def _authorize(self, query: dict[str, str]) -> None:
                assert query["redirect_uri"] in owner.clients[query["client_id"]]
                assert query["resource"] == owner.url
                owner.challenges["code"] = query["code_challenge"]
                self.send_response(302)
                back = urlencode({"code": "code", "state": query["state"]})
                self.send_header("location", f"{query['redirect_uri']}?{back}")
                self.send_header("content-length", "0")
                self.end_headers()

            def _token(self, form: dict[str, str]) -> None:
                owner.forms.append(form)
                if form["grant_type"] == "authorization_code":
                    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == owner.challenges["code"]
                token = f"secret-token-{len(owner.forms)}"
                owner.issued = {token}
                self._json({"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r"})

            def _mcp(self, message: dict[str, Any]) -> None:
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                if not owner.is_open and token not in owner.issued:
                    self._json({}, 401)
                    return
                match message.get("method"):
                    case "initialize":
                        hello = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
                        self._answer(message, hello | {"serverInfo": {"name": "web", "version": "1"}})
                    case "tools/list":
                        self._answer(message, {"tools": [SAY]}, as_stream=True)
                    case "tools/call":
                        owner.calls += 1
                        text = message["params"]["arguments"].get("text", "")
                        self._answer(
                            message, {"content": [{"type": "text", "text": text}]}, as_stream=owner.calls % 2 == 0
                        )
                    case _:
                        self._json({}, 202)

            def _answer(self, message: dict[str, Any], result: Any, *, as_stream: bool = False) -> None:
                reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
                if not as_stream:
                    self._json(reply)
                    return
                data = f": a comment\r\nevent: message\r\ndata: {json.dumps(reply)}\r\n\r\n".encode()
                self._send(data, 200, "text/event-stream; charset=utf-8")

            def _json(self, value: Any, status: int = 200) -> None:
                self._send(json.dumps(value).encode(), status, "application/json")

            def _send(self, data: bytes, status: int, kind: str) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                if status == 401:
                    where = f"{owner.origin}/.well-known/oauth-protected-resource/mcp"
                    self.send_header("www-authenticate", f'Bearer resource_metadata="{where}"')
                self.end_headers()
                self.wfile.write(data)

        return Handler


ENDPOINTS = {"authorization": "authorize", "token": "token", "registration": "register"}
