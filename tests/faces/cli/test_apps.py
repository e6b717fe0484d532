"""`handrail apps`: listing, allowing and revoking apps; with a real app, and a site to add one from."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from handrail.features.apps.backends.stdio import program_digest_of
from handrail.features.apps.calls.consent import consent_to
from handrail.features.apps.descriptors.descriptor import read
from handrail.features.apps.model import StdioExecution
from handrail.kernel.audit import Audit
from handrail.ports.errors import BadAnswer, Conflict, Declined, Failure, NotFound
from handrail.ports.identity import Caller
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state import open_state
from handrail.stores.shared.consents import ConsentRows
from handrail.wiring import Wiring
from tests.oauth_server import oauth_server

PROGRAM = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    reply = {"version": "1.0", "request_id": said["request_id"], "status": "success"}
    reply["result"] = {"echo": said["params"]}
    print(json.dumps(reply), flush=True)
"""
ECHO: dict[str, Any] = {
    "schema_version": "1.0",
    "app": {"id": "com.example.echo", "name": "Echo", "description": "Says back what it is told."},
    "execution": {"type": "stdio", "command": sys.executable, "args": ["-c", PROGRAM]},
    "tools": [
        {
            "name": "say",
            "description": "Says it.",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        }
    ],
}
WEB: dict[str, Any] = {
    "schema_version": "1.0",
    "app": {"id": "com.example.web", "name": "Web", "description": "A web app."},
    "execution": {"type": "http", "base_url": "BASE/api"},
    "tools": [
        {
            "name": "look",
            "description": "Looks.",
            "parameters": {"type": "object"},
            "execution": {"path": "/look", "method": "GET"},
        }
    ],
}
CLIENT = Caller("mcp", "agent/1", "uid:1", "agent:one")
CALLER = Caller("cli", Wiring().machine.user, f"uid:{os.getuid()}", "terminal:1", f"person:{os.getuid()}")


class Home:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"

    def install(self, descriptor: Any) -> Path:
        file = self.folder / ".aai" / str(descriptor["app"]["id"]) / "aai.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(descriptor))
        return file

    def run(self, *words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(group(commands(), open_program), ["apps", *words], input=stdin)

    def json(self, *words: str, stdin: str = "") -> Any:
        result = self.run(*words, stdin=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return json.loads(result.stdout)

    def accesses(self) -> list[str]:
        records = Audit(open_state(self.state).journal("audit")).entries()
        return [record["target"] for record in records if record["event"] == "access"]

    def refusal(self, kind: type[Failure], *words: str, stdin: str = "") -> Failure:
        result = self.run(*words, stdin=stdin)
        assert isinstance(result.exception, kind), result.output
        return result.exception


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HANDRAIL_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return Home(tmp_path)


def test_apps_are_listed_with_what_is_wrong_and_described_with_their_tools(home: Home) -> None:
    assert "No apps yet" in home.run("list").stdout
    home.install(ECHO)
    broken = home.install({**ECHO, "app": {**ECHO["app"], "id": "com.example.broken"}, "tools": []})
    listing = home.json("list", "--json")
    assert [app["id"] for app in listing["apps"]] == ["com.example.echo"]
    assert {(one["source"], one["field"]) for one in listing["problems"]} == {(str(broken), "tools")}
    assert str(broken) in home.run().stdout
    report = home.json("describe", "com.example.echo", "--json")
    assert (report["auth"], report["tools"][0]["parameters"]["required"]) == (
        {"type": "none", "signedIn": True},
        ["text"],
    )
    assert "say: Says it." in home.run("describe", "com.example.echo").stdout
    assert "com.example.echo" in str(home.refusal(NotFound, "describe", "com.example.ech").hint)


def test_a_call_goes_through_the_gate_and_ends_as_handrail_call_does(home: Home) -> None:
    home.install(ECHO)
    words = ("call", "com.example.echo", "say")
    assert home.json(*words, '{"text": "hi"}', "--answer", "allow") == {"echo": {"text": "hi"}}
    assert home.json(*words, "-", "--answer", "allow", stdin='{"text": "hi"}') == {"echo": {"text": "hi"}}
    denied = home.run(*words, '{"text": "hi"}', "--answer", "deny")
    assert (denied.exit_code, json.loads(denied.stdout)["error"]["code"]) == (1, "PERMISSION_DENIED")
    for wrong, code in (("{}", "INVALID_PARAMS"), ("[]", "INVALID_PARAMS")):
        refused = home.run(*words, wrong, "--answer", "allow")
        assert (refused.exit_code, json.loads(refused.stdout)["error"]["code"]) == (1, code)
    assert home.run(*words, "{", "--answer", "allow").exit_code == 2
    assert home.json("call", "com.example.none", "say", "--answer", "allow")["error"]["code"] == "UNKNOWN_APP"
    assert home.json("call", "com.example.echo", "sing", "--answer", "allow")["error"]["code"] == "UNKNOWN_TOOL"


def test_consents_are_listed_marked_as_expired_and_revoked(home: Home) -> None:
    file = home.install(ECHO)
    app = read(file.read_bytes(), str(file))
    consents = ConsentRows(PermissionRows(open_state(home.state).database))
    to = consent_to(app, app.tools[0])
    asyncio.run(consents.add(CLIENT, to, is_for_app=False, by="console:ada"))
    other = asyncio.run(consents.add(CLIENT, to, is_for_app=True, by="terminal:ada"))
    grant = home.json("consents", "list", "--json")["consents"]
    assert {(one["caller"], one["app"], one["tool"], one["valid"]) for one in grant} == {
        ("agent:one", "com.example.echo", "say", True),
        ("agent:one", "com.example.echo", None, True),
    }
    assert "all tools" in home.run("consents").stdout
    home.install({**ECHO, "tools": [{**ECHO["tools"][0], "description": "Shouts it."}]})
    assert not any(one["valid"] for one in home.json("consents", "list", "--json")["consents"])
    assert home.run("consents", "revoke").exit_code == 2
    assert home.run("consents", "revoke", other.id).stdout == "Revoked: 1\n"
    home.refusal(NotFound, "consents", "revoke", other.id)
    assert home.run("consents", "revoke", "--app", "com.example.other").stdout == "Revoked: 0\n"
    assert home.run("consents", "revoke", "--all").stdout == "Revoked: 1\n"
    assert home.json("consents", "list", "--json") == {"consents": []}
    assert [words.rpartition(" ")[0] for words in home.accesses()] == ["revoked the consent"] * 2


def test_a_remembered_approval_replaces_the_question_even_without_a_terminal(home: Home) -> None:
    file = home.install(ECHO)
    app = read(file.read_bytes(), str(file))
    assert isinstance(app.execution, StdioExecution)
    to = replace(consent_to(app, app.tools[0]), program=program_digest_of(app, app.execution))
    consents = ConsentRows(PermissionRows(open_state(home.state).database))
    asyncio.run(consents.add(CALLER, to, is_for_app=False, by="terminal:ada"))
    assert home.json("call", "com.example.echo", "say", '{"text": "hi"}', "--answer", "deny") == {
        "echo": {"text": "hi"}
    }


def test_a_key_is_stored_used_deleted_and_never_shown(home: Home) -> None:
    with oauth_server() as server:
        execution = {"type": "http", "base_url": f"{server.base}/api"}
        auth = {"type": "api_key", "api_key": {"placement": "header", "name": "X-Key"}}
        home.install({**WEB, "execution": execution, "auth": auth})
        call = ("call", "com.example.web", "look", "--answer", "allow")
        missing = home.json(*call)["error"]
        assert missing["code"] == "AUTH_REQUIRED"
        assert "handrail apps login com.example.web" in json.dumps(missing)
        signed_in = home.run("login", "com.example.web", stdin="good-key\n")
        assert "Signed in to Web" in signed_in.stdout
        assert "good-key" not in signed_in.output
        assert home.json("describe", "com.example.web", "--json")["auth"]["signedIn"] is True
        assert "error" not in home.json(*call)
        assert home.run("logout", "com.example.web").stdout == "Signed out.\n"
        home.refusal(NotFound, "logout", "com.example.web")
        assert home.json(*call)["error"]["code"] == "AUTH_REQUIRED"
    assert home.accesses() == ["signed in to com.example.web with a key", "signed out of com.example.web"]
    files = [file for file in home.folder.rglob("*") if file.is_file() and b"good-key" in file.read_bytes()]
    assert files == []


def test_a_sign_in_in_the_browser_is_used_by_the_next_call(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    import urllib.request

    with oauth_server() as server:
        oauth = {
            "authorization_endpoint": f"{server.base}/authorize",
            "token_endpoint": f"{server.base}/token",
            "client_id": "handrail",
        }
        execution = {"type": "http", "base_url": f"{server.base}/api"}
        home.install({**WEB, "execution": execution, "auth": {"type": "oauth2", "oauth2": oauth}})

        def browser(address: str) -> None:
            threading.Thread(target=urllib.request.urlopen, args=(address,), daemon=True).start()

        monkeypatch.setattr("handrail.stores.local.machine.has_display", lambda: True)
        monkeypatch.setattr("handrail.stores.local.machine.open_in_browser", browser)
        result = home.run("login", "com.example.web", "--timeout", "30")
        assert "Signed in to Web" in result.stdout
        assert "-secret-" not in result.output
        assert "tokens from: 127.0.0.1" in result.stderr
        assert "error" not in home.json("call", "com.example.web", "look", "--answer", "allow")
        server.access_tokens = set()  # the app ends the token, which is then renewed during the call
        assert "error" not in home.json("call", "com.example.web", "look", "--answer", "allow")
        assert [form["grant_type"] for form in server.forms] == ["authorization_code", "refresh_token"]
    (secret,) = asyncio.run(Wiring().open_stores(home.state).secrets.kept())
    assert secret.name == "app:com.example.web:sign-in"
    evidence = [file for file in home.folder.rglob("*") if file.is_file() and file.name != "secrets.json"]
    assert not any(b"-secret-" in file.read_bytes() for file in evidence)


@pytest.fixture(scope="module")
def site() -> Iterator[Callable[[int, bytes, str], str]]:
    """Returns the address of a site with these answers."""
    answer: list[tuple[int, bytes, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body, location = answer[-1]
            is_known = self.path == "/.well-known/aai.json"
            self.send_response(status if is_known else 404)
            self.send_header("content-length", str(len(body)))
            self.send_header("location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

        def publish(status: int, body: bytes, location: str = "") -> str:
            answer.append((status, body, location))
            return f"http://127.0.0.1:{http.server_port}"

        yield publish
        http.shutdown()


def test_a_site_is_added_after_a_person_has_seen_it(home: Home, site: Callable[..., str]) -> None:
    address = site(200, json.dumps(WEB).replace("BASE", "http://127.0.0.1:1").encode())
    home.refusal(Declined, "add", address)
    home.refusal(Declined, "add", address, "--answer", "deny")
    assert not (home.folder / ".aai").exists()
    added = home.run("add", address, "--answer", "allow")
    assert "GET http://127.0.0.1:1/api/look" in added.stderr
    assert [app["id"] for app in home.json("list", "--json")["apps"]] == ["com.example.web"]


def test_a_sign_in_at_foreign_hosts_needs_a_separate_confirmation(home: Home, site: Callable[..., str]) -> None:
    oauth = {"authorization_endpoint": "https://accounts.example/a", "token_endpoint": "https://evil.example/t"}
    descriptor = {**WEB, "auth": {"type": "oauth2", "oauth2": oauth}}
    address = site(200, json.dumps(descriptor).replace("BASE", "http://127.0.0.1:1").encode())
    words = ("add", address, "--answer", "allow")
    assert "accounts.example and evil.example" in home.refusal(Declined, *words).message
    assert not (home.folder / ".aai").exists()
    added = home.run(*words, "--sign-in-elsewhere")
    assert added.exit_code == 0
    assert "tokens from: evil.example" in added.stderr
    assert "evil.example" in added.stderr.partition("beware: ")[2]
    hosts = home.json("describe", "com.example.web", "--json")["auth"]["hosts"]
    assert hosts == {"authorization": "accounts.example", "token": "evil.example"}


def test_a_site_can_update_its_own_app_but_not_replace_another_one(home: Home, site: Callable[..., str]) -> None:
    mine = {**WEB, "execution": {"type": "http", "base_url": "http://127.0.0.1:1/api"}}
    home.install(mine)
    newer = json.dumps({**mine, "tools": [{**WEB["tools"][0], "description": "Looks twice."}]}).encode()
    assert home.run("add", site(200, newer), "--answer", "allow").exit_code == 0
    assert home.json("describe", "com.example.web", "--json")["tools"][0]["description"] == "Looks twice."
    for other in ({"type": "http", "base_url": "http://127.0.0.1:2/api"}, ECHO["execution"]):
        tools = [{**WEB["tools"][0], "execution": {}}]
        file = home.install({**WEB, "execution": other, "tools": tools})
        before = file.read_bytes()
        refusal = home.refusal(Conflict, "add", site(200, newer), "--answer", "allow")
        assert str(file) in refusal.message
        assert file.read_bytes() == before


def test_forbidden_parts_of_a_sites_descriptor_are_refused(home: Home, site: Callable[..., str]) -> None:
    assert "isn't followed" in home.refusal(BadAnswer, "add", site(302, b"", "https://evil.example/aai.json")).message
    home.refusal(BadAnswer, "add", site(302, b"", "/.well-known/aai.json"))
    home.refusal(NotFound, "add", site(404, b""))
    assert "more than" in home.refusal(BadAnswer, "add", site(200, b" " * 5_000_000)).message
    assert "execution.type" in home.refusal(Failure, "add", site(200, json.dumps(ECHO).encode())).message
    home.refusal(Failure, "add", site(200, b"<html>"))
    assert not (home.folder / ".aai").exists()
