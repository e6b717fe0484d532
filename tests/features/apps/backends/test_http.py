"""Apps over HTTP, on a real socket: addresses, parameters, redirects and answers of calls."""

import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from traceback import format_exception
from typing import Any

import pytest

from handrail.features.apps.backends.http import HttpTransport
from handrail.features.apps.backends.network import is_local_name
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.descriptors.descriptor import read
from handrail.features.apps.dialect import envelope
from handrail.features.apps.model import App, Grant
from handrail.ports.errors import BadAnswer, Failure, InvalidParams, Offline, Reported
from handrail.ports.prompts import MASK
from tests.features.apps.backends.credentials import Signed
from tests.odd_http import OddServer, ReceivedRequest, as_json, odd_server, response

KEY = {"type": "api_key", "api_key": {"placement": "header", "name": "X-Key"}}


@dataclass
class Ground:
    server: OddServer
    base: str = "/v1"
    auth: Any = None
    credentials: Signed = field(default_factory=Signed)

    def app(self, route: dict[str, Any] | None, **app: Any) -> App:
        properties: dict[str, Any] = {name: {} for name in ("id", "q", "tags", "note", "name")}
        tool = {"name": "act", "description": "Acts.", "parameters": {"type": "object", "properties": properties}}
        descriptor = {
            "schema_version": "1.0",
            "app": {"id": "com.example.web", "name": "Web", "description": "On the web."},
            "execution": {"type": "http", "base_url": self.server.url + self.base, **app},
            "tools": [tool if route is None else {**tool, "execution": route}],
            **({} if self.auth is None else {"auth": self.auth}),
        }
        return read(json.dumps(descriptor).encode(), "")

    async def call(self, route: dict[str, Any] | None, params: dict[str, Any], **app: Any) -> Any:
        web_app = self.app(route, **app)
        transport = HttpTransport(self.credentials)
        board = AppCaller(lambda execution: transport, SchemaChecks())
        try:
            return await board.call(web_app, web_app.tools[0], params, timeout_ms=20_000, on_reply=lambda *reply: None)
        finally:
            await transport.close()

    async def sent_for(self, route: dict[str, Any], params: dict[str, Any], **app: Any) -> ReceivedRequest:
        self.server.answer = lambda request: as_json({})
        await self.call(route, params, **app)
        return self.server.seen[-1]


@pytest.fixture
async def ground() -> AsyncIterator[Ground]:
    async with odd_server() as server:
        yield Ground(server)


async def test_values_in_a_path_stay_within_one_segment(ground: Ground) -> None:
    request = await ground.sent_for(
        {"path": "/notes/${id}?q=${q}&fixed=1", "method": "GET"}, {"id": "a/b?c#d %", "q": "x&y"}
    )
    assert request.method == "GET"
    assert request.target == "/v1/notes/a%2Fb%3Fc%23d%20%25?q=x%26y&fixed=1"


@pytest.mark.parametrize("id", ["..", ".", "", "../admin", "..%2fadmin", "%2e%2e", "a\\..\\b", "\0"])
async def test_no_value_leads_outside_of_the_apps_address(ground: Ground, id: str) -> None:
    ground.server.answer = lambda request: as_json({})
    with pytest.raises(InvalidParams):
        await ground.call({"path": "/notes/${id}", "method": "GET"}, {"id": id})
    assert ground.server.seen == []


async def test_parameters_that_the_path_does_not_use_become_the_query_or_the_body(ground: Ground) -> None:
    params = {"id": 7, "q": "漢字", "tags": ["a", "b"], "note": {"x": 1}}
    request = await ground.sent_for({"path": "notes/${id}", "method": "GET"}, params)
    assert request.target == "/v1/notes/7?q=%E6%BC%A2%E5%AD%97&tags=a&tags=b&note=%7B%22x%22%3A1%7D"
    request = await ground.sent_for({"path": "notes/${id}", "method": "POST"}, params)
    assert json.loads(request.body) == {"q": "漢字", "tags": ["a", "b"], "note": {"x": 1}}
    assert request.headers["content-type"] == "application/json"


async def test_a_body_template_keeps_types_and_leaves_out_what_was_not_given(ground: Ground) -> None:
    template = {"filter": "${note}", "text": "say ${q}", "list": ["${tags}", "${name}"], "none": "${id}", "n": 1}
    params = {"note": {"a": [1]}, "q": '"quoted"', "tags": True}
    request = await ground.sent_for({"path": "/x", "body_template": template}, params)
    assert json.loads(request.body) == {"filter": {"a": [1]}, "text": 'say "quoted"', "list": [True], "n": 1}


async def test_a_body_template_in_text_is_json_or_a_form(ground: Ground) -> None:
    request = await ground.sent_for({"path": "/x", "body_template": '{"q": "${q}"}'}, {"q": 'a", "admin": "true'})
    assert json.loads(request.body) == {"q": 'a", "admin": "true'}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    request = await ground.sent_for({"path": "/x", "headers": form, "body_template": "q=${q}&x=1"}, {"q": "a&admin=1"})
    assert request.body == b"q=a%26admin%3D1&x=1"


async def test_header_values_cannot_contain_line_ends_or_change_the_framing(ground: Ground) -> None:
    route = {"path": "/x", "method": "GET", "headers": {"X-Note": "n ${q}", "Host": "evil.example"}}
    request = await ground.sent_for(route, {"q": "fine"}, default_headers={"X-Common": "c", "Content-Length": "9"})
    assert (request.headers["x-note"], request.headers["x-common"]) == ("n fine", "c")
    assert request.headers["host"] == f"127.0.0.1:{ground.server.port}"
    for value in ("a\r\nX-Evil: 1", "a\nb", "a\0b", "漢", "a ", "a\t"):
        with pytest.raises(InvalidParams, match="header"):
            await ground.call(route, {"q": value})


async def test_a_redirect_is_followed_only_on_the_same_host(ground: Ground) -> None:
    def answer(request: ReceivedRequest) -> bytes:
        return as_json({"at": request.target}) if request.target == "/new" else response(302, b"", Location="/new")

    ground.server.answer = answer
    assert await ground.call({"path": "/old", "method": "GET"}, {}) == {"at": "/new"}
    with pytest.raises(BadAnswer, match="isn't followed"):
        await ground.call({"path": "/old", "method": "POST"}, {})


@pytest.mark.parametrize(
    "place", ["http://localhost:{port}/x", "https://127.0.0.1:{port}/", "//evil.example/", "file:/x"]
)
async def test_a_redirect_to_another_place_is_not_followed(ground: Ground, place: str) -> None:
    location = place.format(port=ground.server.port)
    ground.server.answer = lambda request: response(307, b"", Location=location)
    with pytest.raises(BadAnswer, match="isn't followed"):
        await ground.call({"path": "/old", "method": "GET"}, {})
    assert len(ground.server.seen) == 1


async def test_endless_redirects_are_refused(ground: Ground) -> None:
    ground.server.answer = lambda request: response(308, b"", Location="/again")
    with pytest.raises(BadAnswer, match="one redirect after another"):
        await ground.call({"path": "/x", "method": "GET"}, {})


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, b"", "INVALID_PARAMS"),
        (403, b"", "PERMISSION_DENIED"),
        (404, b"no such page", "INTERNAL_ERROR"),
        (409, b'{"error": {"code": "ALREADY_THERE", "message": "It is there."}}', "ALREADY_THERE"),
        (429, b"", "SERVICE_UNAVAILABLE"),
        (500, b"oops", "INTERNAL_ERROR"),
        (503, b'{"error": "later"}', "SERVICE_UNAVAILABLE"),
        (504, b"", "TIMEOUT"),
    ],
)
async def test_an_error_status_becomes_an_error_of_the_contract(
    ground: Ground, status: int, body: bytes, code: str
) -> None:
    ground.server.answer = lambda request: response(status, body)
    with pytest.raises(Reported) as raised:
        await ground.call({"path": "/x"}, {})
    assert envelope(raised.value)["error"]["code"] == code


async def test_a_body_that_is_not_json_is_text_and_an_empty_one_is_null(ground: Ground) -> None:
    ground.server.answer = lambda request: response(204, b"")
    assert await ground.call({"path": "/x"}, {}) is None
    ground.server.answer = lambda request: response(200, b"plain").replace(b"application/json", b"text/plain")
    assert await ground.call({"path": "/x"}, {}) == "plain"
    ground.server.answer = lambda request: response(200, b"{broken")
    with pytest.raises(BadAnswer):
        await ground.call({"path": "/x"}, {})


async def test_a_compressed_answer_is_refused(ground: Ground) -> None:
    ground.server.answer = lambda request: response(200, b"\x1f\x8b", Content_Encoding="gzip")
    with pytest.raises(BadAnswer, match="compressed"):
        await ground.call({"path": "/x"}, {})
    assert ground.server.seen[0].headers["accept-encoding"] == "identity"


async def test_credentials_are_sent_and_masked_in_replies(ground: Ground) -> None:
    ground.auth = KEY
    ground.credentials = Signed(Grant(headers={"X-Key": "Token s3cret-k3y"}, query={"key": "other-s3cret"}))
    ground.server.answer = lambda request: as_json({"key": request.headers["x-key"], "target": request.target})
    result = await ground.call({"path": "/x"}, {})
    assert ground.server.seen[0].headers["x-key"] == "Token s3cret-k3y"
    assert ground.server.seen[0].target == "/v1/x?key=other-s3cret"
    assert "s3cret" not in json.dumps(result)


async def test_a_key_is_masked_however_it_is_spelled(ground: Ground) -> None:
    ground.auth, ground.credentials = KEY, Signed(Grant(headers={"X-Key": "Token sk/TOP&SECRET"}))
    body = rb'{"sk\/TOP&SECRET": 1.50, "echo": ["a sk\/TOP&\u0053ECRET b"], "url": "?key=sk%2FTOP%26SECRET", "id": 7}'
    ground.server.answer = lambda request: response(200, body)
    result = await ground.call({"path": "/x"}, {})
    assert result == {MASK: 1.5, "echo": [f"a {MASK} b"], "url": f"?key={MASK}", "id": 7}


@pytest.mark.parametrize("location", ["http://[x", "//[", "https://a]b/"])
async def test_a_redirect_to_an_invalid_address_is_not_followed(ground: Ground, location: str) -> None:
    ground.server.answer = lambda request: response(302, b"", Location=location)
    with pytest.raises(BadAnswer, match="isn't followed"):
        await ground.call({"path": "/x", "method": "GET"}, {})


async def test_a_key_that_makes_no_header_is_quoted_nowhere(ground: Ground) -> None:
    ground.auth, ground.credentials = KEY, Signed(Grant(headers={"X-Key": " Token s3cret-k3y"}))
    with pytest.raises(InvalidParams) as raised:
        await ground.call({"path": "/x"}, {})
    assert "s3cret" not in "".join(format_exception(raised.value))


async def test_refused_credentials_are_renewed_once(ground: Ground) -> None:
    old, new = Grant(headers={"X-Key": "old-key-1"}), Grant(headers={"X-Key": "new-key-2"})
    ground.auth, ground.credentials = KEY, Signed(old, new)
    ground.server.answer = lambda request: (
        as_json({}) if request.headers["x-key"] == "new-key-2" else response(401, b"")
    )
    assert await ground.call({"path": "/x"}, {}) == {}
    ground.server.answer = lambda request: response(401, b"")
    with pytest.raises(Reported) as raised:
        await ground.call({"path": "/x"}, {})
    assert envelope(raised.value)["error"]["code"] == "AUTH_REQUIRED"
    assert ground.credentials.refused == [old, old]


async def test_an_address_without_a_server_is_unavailable(ground: Ground) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        ground.server.port = unused.getsockname()[1]
        with pytest.raises(Offline):
            await ground.call({"path": "/x"}, {})


async def test_a_server_that_speaks_no_http_is_unavailable(ground: Ground) -> None:
    ground.server.answer = lambda request: b"SSH-2.0-OpenSSH\r\n\r\n"
    with pytest.raises(Offline) as raised:
        await ground.call({"path": "/x"}, {})
    assert isinstance(raised.value, Failure)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "printer.local", "nas", "10.0.0.7"])
def test_a_local_name_may_lead_to_a_local_address(name: str) -> None:
    assert is_local_name(name)


@pytest.mark.parametrize("name", ["example.com", "localhost.evil.com", "127.0.0.1.nip.io", "local.example"])
def test_a_public_name_must_lead_to_the_public_internet(name: str) -> None:
    assert not is_local_name(name)


async def test_a_public_name_that_leads_to_this_machine_is_not_called(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, *more: Any, **kwargs: Any) -> Any:
        assert host == "rebound.example"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(Offline, match="isn't on the public internet") as raised:
        await ground.call({"path": "/x"}, {}, base_url=f"https://rebound.example:{ground.server.port}")
    assert raised.value.details["reason"] == "private_address"
    assert ground.server.seen == []


async def test_a_surplus_answer_is_never_taken_for_the_next_one(ground: Ground) -> None:
    transport = HttpTransport(Signed())
    board = AppCaller(lambda execution: transport, SchemaChecks())
    app = ground.app({"path": "/x", "method": "GET"})
    number = 0

    def answer(request: ReceivedRequest) -> bytes:
        nonlocal number
        number += 1
        return as_json({"for": number}) + as_json({"for": "nobody"})

    ground.server.answer = answer
    for expected in (1, 2, 3):
        said = await board.call(app, app.tools[0], {}, timeout_ms=20_000, on_reply=lambda *_: None)
        assert said == {"for": expected}
    await transport.close()
