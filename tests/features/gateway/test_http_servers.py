"""Servers at an address: streamable HTTP, keys in headers, and a sign-in over OAuth."""

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest

from handrail.features.gateway.backends.http import _events
from handrail.features.gateway.sign_in import validate_address
from handrail.ports.errors import BadAnswer
from handrail.ports.own_servers import announce_port
from tests.features.gateway.oauth_server import OAuthServer
from tests.features.gateway.rig import HANDRAIL, PEERS, Mcp, Rig, odd_command
from tests.waiting import PATIENCE, until


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@pytest.fixture
def everything() -> Iterator[str]:
    port = free_port()
    server = subprocess.Popen(
        [str(PEERS / "mcp-server-everything"), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: _answers(port))
    yield f"http://127.0.0.1:{port}/mcp"
    server.kill()
    server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        httpx2.get(f"http://127.0.0.1:{port}/mcp", timeout=2)
    except httpx2.HTTPError:
        return False
    return True


@pytest.mark.trial("servers", is_long=True)
def test_a_real_server_over_http_works_like_a_local_one(rig: Rig, everything: str) -> None:
    rig.run("servers", "add", "web", "--yes", "--url", everything)
    mcp = Mcp(rig, "--answer", "allow")
    assert mcp.text("web__echo", message="hi") == "Echo: hi"
    assert [part["type"] for part in mcp.call("web__get-tiny-image")["content"]][1] == "image"
    mcp.close()


def sign_in(rig: Rig, server: OAuthServer) -> str:
    """Runs `handrail servers add`, opens the address as a person would, and returns what was printed."""
    process = subprocess.Popen(
        [HANDRAIL, "servers", "add", "web", "--yes", "--no-browser", "--url", server.url],
        env=rig.environ,
        cwd=rig.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    text = ""
    for line in process.stderr:
        text += line
        if line.startswith("http"):
            assert httpx2.get(line.strip(), follow_redirects=True, timeout=PATIENCE).status_code == 200
    assert process.wait(timeout=PATIENCE) == 0, text
    return text


def test_a_sign_in_is_discovered_and_its_token_is_sent_stored_and_renewed(rig: Rig) -> None:
    with OAuthServer() as server:
        sign_in(rig, server)
        mcp = Mcp(rig)
        assert [mcp.text("web__say", text=str(number)) for number in range(3)] == ["0", "1", "2"]
        server.issued = set()
        assert mcp.text("web__say", text="renewed") == "renewed"
        mcp.close()
        assert [form["grant_type"] for form in server.forms] == ["authorization_code", "refresh_token"]
        assert {form["resource"] for form in server.forms} == {server.url}
    files = (rig.state / "servers.json").read_text()
    assert "secret-token" not in files
    assert "app:mcp.web:sign-in" in rig.run("secrets", "list").stdout
    rig.run("servers", "remove", "web")
    assert "mcp.web" not in rig.run("secrets", "list").stdout


@pytest.mark.trial("servers", is_long=True)
def test_moving_a_clients_server_includes_its_sign_in(rig: Rig, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".gemini").mkdir(parents=True)
    with OAuthServer() as server:
        settings = {"mcpServers": {"web": {"httpUrl": server.url}}}
        (home / ".gemini/settings.json").write_text(json.dumps(settings))
        process = subprocess.Popen(
            [HANDRAIL, "connect", "gemini", "--yes", "--move", "web"],
            env={**rig.environ, "HOME": str(home), "DISPLAY": "", "WAYLAND_DISPLAY": ""},
            cwd=rig.project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        address = next(line.strip() for line in process.stderr if line.startswith("http"))
        assert httpx2.get(address, follow_redirects=True, timeout=PATIENCE).status_code == 200
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "web is behind handrail" in out) == (0, True), err
        mcp = Mcp(rig)
        assert mcp.text("web__say", text="signed in") == "signed in"
        mcp.close()
    assert set(json.loads((home / ".gemini/settings.json").read_text())["mcpServers"]) == {"handrail"}


def test_without_a_sign_in_a_call_says_how_to_get_one(rig: Rig) -> None:
    with OAuthServer() as server:
        sign_in(rig, server)
        rig.run("secrets", "forget", "app:mcp.web:sign-in")
        mcp = Mcp(rig)
        error = mcp.error("web__say", text="x")
        mcp.close()
    assert (error["code"], "handrail servers login web" in error["hint"]) == ("E_SIGN_IN", True)


def test_a_server_that_is_gone_is_offline(rig: Rig) -> None:
    with OAuthServer(is_open=True) as server:
        rig.run("servers", "add", "web", "--yes", "--url", server.url)
        mcp = Mcp(rig)
        assert mcp.text("web__say", text="x") == "x"
    assert mcp.error("web__say", text="x")["code"] in ("E_SERVER_OFFLINE", "E_SERVER_ANSWER")  # it breaks off first
    assert mcp.error("web__say", text="x")["code"] == "E_SERVER_OFFLINE"
    mcp.close()


def test_keys_are_prompted_for_and_stored_as_secrets(rig: Rig, tmp_path: Path) -> None:
    script = tmp_path / "seen.py"
    script.write_text(
        "import os, runpy, sys\n"
        f"open({str(tmp_path / 'key')!r}, 'w').write(os.environ['API_KEY'])\n"
        "sys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    python, odd, behaviour = odd_command("good")
    rig.add("odd", python, str(script), odd, behaviour, more=("--env", "API_KEY"), stdin="hunter2\n")
    assert (tmp_path / "key").read_text() == "hunter2"
    assert "hunter2" not in (rig.state / "servers.json").read_text()
    output = json.loads(rig.run("servers", "show", "odd", "--json").stdout)
    assert output["keys"] == ["API_KEY"]
    assert re.search(r"server:odd:env:api_key", rig.run("secrets", "list").stdout)


def test_a_clients_configuration_is_imported_with_its_keys_as_secrets(rig: Rig, tmp_path: Path) -> None:
    command, *args = odd_command("good")
    entry = {"command": command, "args": args, "env": {"TOKEN": "s3cret"}}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"My Notes": entry, "handrail": {"command": "handrail"}}}))
    rig.run("servers", "import", str(file), "--yes")
    servers = json.loads(rig.run("servers", "list", "--json").stdout)["servers"]
    assert [(each["name"], each["keys"], each["source"]) for each in servers] == [("my-notes", ["TOKEN"], str(file))]
    assert "s3cret" not in (rig.state / "servers.json").read_text()
    assert json.loads(file.read_text())["mcpServers"]["My Notes"] == entry


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add", "Bad Name", "--", "true"), "can't be a server's name"),
        (("add", "handrail", "--", "true"), "can't be a server's name"),
        (("add", "x"), "either a command or a URL"),
        (("add", "x", "--url", "ftp://x", "--yes"), "isn't an http"),
        (("add", "x", "--set", "A", "--", "true"), "--set takes KEY=VALUE"),
        (("add", "x", "--env", "A B", "--", "true"), "environment variable"),
        (("show", "nothing"), "There is no server named"),
        (("logs", "nothing"), "There is no server named"),
        (("remove", "nothing"), "There is no server named"),
        (("accept", "nothing"), "There is no server named"),
        (("import", "/no/such/file"), "can't be read"),
        (("add", "x", "--yes", "--", "/no/such/program"), "No such file"),
        (("add", "x", "--yes", "--url", "http://127.0.0.1:1/mcp"), "can't be reached"),
    ],
)
def test_bad_input_is_refused_with_a_reason_and_leaves_nothing(rig: Rig, words: tuple[str, ...], message: str) -> None:
    failed = rig.run("servers", *words, is_ok=False)
    assert failed.returncode != 0
    assert message in failed.stderr
    assert "servers logs" not in failed.stderr, "there is no log of what was not added"
    file = rig.state / "servers.json"
    assert not file.exists() or json.loads(file.read_text())["servers"] == {}


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8080/token",
        "https://127.0.0.1/token",
        "https://localhost/token",
        "https://[::1]/token",
        "https://10.0.0.1/token",
        "https://169.254.169.254/latest/meta-data",
        "https://intranet/token",
        "https://printer.local/token",
        "http://auth.example.com/token",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:///token",
        "https://auth.example.com:99999/token",
        "https://[/token",
        "",
        None,
        5,
        ["https://auth.example.com"],
    ],
)
def test_a_server_on_the_internet_cannot_direct_a_sign_in_to_this_machine_or_over_plain_http(address: object) -> None:
    with pytest.raises(BadAnswer, match="isn't allowed"):
        validate_address("https://mcp.example.com/mcp", address)


def test_a_sign_in_may_be_on_another_public_host_and_a_local_server_may_use_local_hosts() -> None:
    for url, address in (
        ("https://mcp.example.com/mcp", "https://auth.example.net/token"),
        ("http://127.0.0.1:3000/mcp", "http://localhost:4000/token"),
        ("http://intranet/mcp", "http://intranet/token"),
    ):
        assert validate_address(url, address) == address


def test_no_server_can_direct_a_sign_in_to_handrail_itself() -> None:
    port = free_port()
    with announce_port(port), pytest.raises(BadAnswer, match="isn't allowed"):
        validate_address("http://127.0.0.1:3000/mcp", f"http://127.0.0.1:{port}/api/prompts")


class Odd(BaseHTTPRequestHandler):
    """Answers every request as `how` says, and records the requested paths."""

    protocol_version = "HTTP/1.1"
    how: ClassVar[tuple[int, str, bytes]]
    asked: ClassVar[list[str]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.asked.append(self.path)
        status, kind, body = self.how
        self.send_response(status)
        for name, value in (("content-type", kind), ("location", "/elsewhere"), ("content-length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_DELETE = do_POST  # noqa: N815

    def log_message(self, *words: object) -> None:
        """Logs nothing."""


@pytest.mark.parametrize(
    ("status", "kind", "body", "message"),
    [
        *((status, "", b"", f"answered with status {status}") for status in (301, 302, 303, 307, 308, 500)),
        (200, "text/html", b"<html>", "answered with text/html, not with JSON"),
        (200, "", b"", "no content type"),
        (200, "text/ht\x1b[2Jml", b"x", "not with JSON"),
        (200, "application/json", b"<html>", "answered another request than it was asked"),
        (200, "application/json", b"[" * 5000, "answered another request than it was asked"),
        (200, "application/json", b'{"jsonrpc":"2.0","id":99,"result":{}}', "never sent"),
        (200, "text/event-stream", b"data: nonsense\n\n", "broke off before it answered"),
        (404, "text/plain", b"", "answered with status 404"),
        (403, "text/plain", b"", "publish"),
    ],
)
def test_an_odd_answer_is_an_error_at_once_and_a_redirect_is_not_followed(
    rig: Rig, status: int, kind: str, body: bytes, message: str
) -> None:
    requests = list[str]()
    handler = type("Handler", (Odd,), {"how": (status, kind, body), "asked": requests})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/mcp"
        words = ("servers", "add", "x", "--yes", "--no-browser", "--header", "X-Key", "--url", address)
        failed = rig.run(*words, is_ok=False, stdin="hunter2\n")
        server.shutdown()
    assert (failed.returncode, message in failed.stderr) == (1, True), failed.stderr
    assert "\x1b" not in failed.stderr
    assert "/mcp" in requests
    assert "/elsewhere" not in requests


class Pieces:
    """A response that arrives byte by byte."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def aiter_stream(self) -> AsyncIterator[bytes]:
        for byte in self._content:
            yield bytes((byte,))


@pytest.mark.anyio
async def test_events_that_arrive_byte_by_byte_are_read_in_linear_time() -> None:
    """With a copy of the line for each piece, a server could keep handrail busy for minutes."""
    long = b"a" * 1_000_000
    response: Any = Pieces(b"data: " + long + b"\r\n\r\n: comment\ndata: b\ndata: c\n\ndata: cut")
    assert [event async for event in _events(response, "slow")] == [long, b"b\nc"]
