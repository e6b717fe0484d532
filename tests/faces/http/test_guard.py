import asyncio
from pathlib import Path
from typing import Any

import pytest

from handrail.faces.http import server_file
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.guard import Guard, Origins
from handrail.faces.http.sessions import Sessions
from handrail.ports.errors import InvalidParams
from handrail.stores.local.agents import AgentsFile
from tests.faces.http.running import Running

AUTHORIZED = "Authorization: Bearer TOKEN\r\n"
FOREIGN_HOSTS = [
    "evil",
    "localhost.evil.com:PORT",
    "127.0.0.1.nip.io:PORT",
    "localhost@evil",
    "evil@localhost:PORT",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:PORT:PORT",
    "127.0.0.1:PORT/",
    "127.0.0.1:PORT, evil",
    "127.0.0.1:0PORT",
    "127.0.0.1.:PORT",
    "127.1:PORT",
    "2130706433:PORT",
    "0.0.0.0:PORT",
    "::1:PORT",
    "[::1%lo]:PORT",
    "xlocalhost:PORT",
    "localhost:PORTx",
    "localhost :PORT",
    "locâlhost:PORT",
    "",
]
FOREIGN_ORIGINS = [
    "null",
    "",
    "http://evil.com",
    "http://localhost:PORT.evil.com",
    "http://localhost.evil.com:PORT",
    "http://localhost:PORT@evil.com",
    "http://evil@localhost:PORT",
    "https://localhost:PORT",
    "http://localhost",
    "http://localhost:PORT/",
    "http://localhost:PORT http://evil.com",
    "http://localhost:3001",
    "file://",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_requests_for_its_own_host_names_are_answered(host: str, server: Running) -> None:
    assert server.raw(f"GET /health HTTP/1.1\r\nHost: {host}:PORT\r\n\r\n").status == 200


@pytest.mark.parametrize("path", ["/", "/health", "/static/handrail.css", "/api/tools", "/mcp", "/no/such/path"])
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused_on_every_path_even_with_the_token(host: str, path: str, server: Running) -> None:
    answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{AUTHORIZED}\r\n")
    assert answer.status == 403
    assert answer.code == "FORBIDDEN"


def test_a_request_without_host_is_refused(server: Running) -> None:
    assert server.raw("GET /health HTTP/1.1\r\n\r\n").code == "FORBIDDEN"
    assert server.raw("GET /health HTTP/1.0\r\n\r\n").code == "FORBIDDEN"


def test_two_hosts_are_refused_even_when_both_are_ours(server: Running) -> None:
    for second in ("evil", "127.0.0.1:PORT"):
        answer = server.raw(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: {second}\r\n\r\n")
        assert answer.status == 403


def test_a_second_host_in_the_request_line_is_refused(server: Running) -> None:
    answer = server.raw("GET http://evil.com/health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("path", ["/", "/health", "/api/tools", "/mcp", "/no/such/path"])
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused_even_with_the_token(origin: str, path: str, server: Running) -> None:
    answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: {origin}\r\n{AUTHORIZED}\r\n")
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert "access-control-allow-origin" not in answer.headers


def test_two_origins_are_refused(server: Running) -> None:
    own = "Origin: http://localhost:PORT\r\n"
    assert server.raw(f"GET /health HTTP/1.1\r\nHost: localhost:PORT\r\n{own}{own}\r\n").status == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:PORT", "http://localhost:PORT", "http://[::1]:PORT"])
@pytest.mark.parametrize("path", ["/health", "/api/tools"])
def test_its_own_origins_are_allowed_everywhere(origin: str, path: str, server: Running) -> None:
    answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: {origin}\r\n{AUTHORIZED}\r\n")
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin.replace("PORT", str(server.port))


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:3000"])
def test_the_default_cors_origins_reach_the_api_and_nothing_else(origin: str, server: Running) -> None:
    assert server.request("GET", "/api/tools", headers={**server.bearer, "origin": origin}).status == 200
    for path in ("/", "/health", "/mcp", "/api", "/apix/tools"):
        assert server.request("GET", path, headers={**server.bearer, "origin": origin}).status == 403


def test_an_allowed_origin_does_not_replace_the_token(server: Running) -> None:
    answer = server.request("GET", "/api/tools", headers={"origin": "http://localhost:3000"})
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")


def test_listed_origins_replace_the_default_ones(state: Path, project: Path) -> None:
    environ = {"MIMO_CORS_ORIGIN": "http://localhost:4000/, https://App.Example"}
    with Running(state, project, env=environ) as server:
        for origin in ("http://localhost:4000", "https://app.example"):
            for path in ("/health", "/api/tools"):
                assert server.request("GET", path, headers={**server.bearer, "origin": origin}).status == 200
        foreign = {**server.bearer, "origin": "http://localhost:3000"}
        assert server.request("GET", "/api/tools", headers=foreign).status == 403


@pytest.mark.parametrize("setting", ["*", "null", "localhost:3000", "http://a/b", "http://u@a", "http://a?b"])
def test_a_list_of_origins_that_makes_no_sense_is_refused(setting: str) -> None:
    with pytest.raises(InvalidParams, match="MIMO_CORS_ORIGIN"):
        Origins.of(6006, f"http://localhost:3000,{setting}")


def test_a_list_of_origins_that_makes_no_sense_stops_the_start(state: Path, project: Path) -> None:
    with Running(state, project, env={"MIMO_CORS_ORIGIN": "*"}) as server:
        assert "MIMO_CORS_ORIGIN" in server.first_line


def test_a_preflight_of_an_allowed_origin_is_answered_without_the_token(server: Running) -> None:
    asks = {
        "origin": "http://localhost:3000",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-trace-id",
    }
    answer = server.request("OPTIONS", "/api/tools/echo", headers=asks)
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert "POST" in answer.headers["access-control-allow-methods"]
    for name in asks["access-control-request-headers"].split(","):
        assert name in answer.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in answer.headers


def test_a_preflight_of_a_foreign_origin_is_refused(server: Running) -> None:
    asks = {"origin": "http://evil.com", "access-control-request-method": "POST"}
    assert server.request("OPTIONS", "/api/tools/echo", headers=asks).status == 403


def test_options_without_an_origin_is_not_a_preflight(server: Running) -> None:
    asks = {"access-control-request-method": "POST"}
    assert server.request("OPTIONS", "/api/tools/echo", headers=asks).status == 401


@pytest.mark.parametrize("path", ["/api/tools", "/mcp", "/mcp/", "/no/such/path", "/static/no", "/health/", "//", "/."])
def test_every_other_path_known_or_not_needs_the_token(path: str, server: Running) -> None:
    answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n")
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "path", ["/static/../api/tools", "/static/%2e%2e/api/tools", "/health%0a", "/health%2f", "/%00"]
)
def test_a_disguised_path_needs_the_token(path: str, server: Running) -> None:
    assert server.raw(f"GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n").status == 401


def test_an_unknown_path_with_the_token_is_not_found(server: Running) -> None:
    answer = server.request("GET", "/no/such/path")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/", "/health", "/static/handrail.css", "/static/handrail.svg"])
def test_the_open_paths_need_no_token(method: str, path: str, server: Running) -> None:
    assert server.request(method, path, headers={}).status == 200


def test_an_open_path_is_open_for_reading_only(server: Running) -> None:
    assert server.request("POST", "/", headers={}).status == 401
    answer = server.request("POST", "/health")
    assert (answer.status, answer.code) == (405, "BAD_REQUEST")
    assert "GET" in answer.headers["allow"]


def test_a_wrong_token_is_refused(server: Running) -> None:
    token = server.token
    wrong = ["", "x", token[:-1], token + "x", token.swapcase(), token[::-1], f"{token} {token}", "ü"]
    for value in [f"Bearer {item}" for item in wrong] + [token, f"Basic {token}", f"Bearer{token}", f"Token {token}"]:
        request = f"GET /api/tools HTTP/1.1\r\nHost: localhost:PORT\r\nAuthorization: {value}\r\n\r\n"
        assert server.raw(request).status == 401, value
    assert server.request("GET", f"/api/tools?token={token}", headers={}).status == 401


def test_two_tokens_are_refused(server: Running) -> None:
    answer = server.raw(f"GET /api/tools HTTP/1.1\r\nHost: localhost:PORT\r\n{AUTHORIZED}{AUTHORIZED}\r\n")
    assert answer.status == 401


def test_the_scheme_of_the_token_may_be_spelled_in_any_case(server: Running) -> None:
    assert server.request("GET", "/api/tools", headers={"authorization": f"bearer {server.token}"}).status == 200


def test_trailers_are_not_treated_as_headers(server: Running) -> None:
    head = "POST /api/tools/echo HTTP/1.1\r\nHost: localhost:PORT\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert server.raw(f"{head}2\r\n{{}}\r\n0\r\n{AUTHORIZED}\r\n").status == 401


@pytest.mark.parametrize("version", ["0", "2", "1.0", "v1", "", "1, 1"])
def test_another_protocol_version_is_a_bad_request(version: str, server: Running) -> None:
    answer = server.request("GET", "/api/tools", headers={**server.bearer, "x-mimo-protocol": version})
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_protocol_version_1_is_spoken(server: Running) -> None:
    assert server.request("GET", "/api/tools", headers={**server.bearer, "x-mimo-protocol": "1"}).status == 200


def test_the_trace_id_comes_back_with_every_answer(server: Running) -> None:
    for path, headers, status in (("/health", {}, 200), ("/api/tools", {}, 401), ("/no", server.bearer, 404)):
        answer = server.request("GET", path, headers={**headers, "x-trace-id": "trace-1/~"})
        assert (answer.status, answer.headers["x-trace-id"]) == (status, "trace-1/~")


@pytest.mark.parametrize("value", ["x" * 129, "a b", "caf\xe9", "", "a\tb"])
def test_a_trace_id_that_is_not_fit_to_be_passed_on_is_dropped(value: str, server: Running) -> None:
    answer = server.raw(f"GET /health HTTP/1.1\r\nHost: localhost:PORT\r\nX-Trace-Id: {value}\r\n\r\n")
    assert answer.status == 200
    assert "x-trace-id" not in answer.headers


def test_every_answer_forbids_sniffing_framing_and_embedding(server: Running) -> None:
    for path in ("/", "/health", "/api/tools", "/no/such/path"):
        headers = server.request("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "server" not in headers


OWN = {"host": "localhost:6006", "authorization": "Bearer secret"}


@pytest.mark.parametrize(
    ("change", "is_let_in"),
    [
        ({}, True),
        ({"origin": "http://localhost:6006"}, True),
        ({"host": "evil:6006"}, False),
        ({"origin": "http://evil.com"}, False),
        ({"origin": "http://localhost:3000"}, False),
        ({"authorization": "Bearer wrong"}, False),
        ({"x-mimo-protocol": "2"}, False),
    ],
)
@pytest.mark.parametrize("can_deny", [True, False])
def test_websockets_pass_the_same_checks(
    change: dict[str, str], is_let_in: bool, can_deny: bool, tmp_path: Path
) -> None:
    headers = [(name.encode(), value.encode()) for name, value in {**OWN, **change}.items()]
    extensions: dict[str, Any] = {"websocket.http.response": {}} if can_deny else {}
    scope = {"type": "websocket", "path": "/", "headers": headers, "extensions": extensions}
    reached, replies = [], []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        replies.append(message["type"])

    origins = Origins.of(6006, None)
    published = server_file.Published(tmp_path, server_file.ServerFile(1, "127.0.0.1", 6006, "secret"))
    credentials = Credentials(published, Sessions(tmp_path), Programs(), lambda token: False, AgentsFile(tmp_path))
    guard = Guard(
        inside,
        port=6006,
        credentials=credentials,
        origins=origins,
        is_open=lambda scope: False,
        is_for_plugins=lambda scope: False,
        is_for_programs=lambda scope: False,
        console_key=ConsoleKey("key"),
    )
    asyncio.run(guard(scope, receive, send))
    assert bool(reached) is is_let_in
    assert replies[:1] == ([] if is_let_in else ["websocket.http.response.start" if can_deny else "websocket.close"])


def test_on_port_80_the_port_may_be_left_out() -> None:
    assert Origins.of(80, "").allow("http://localhost", "/")
    assert not Origins.of(6006, "").allow("http://localhost", "/")
