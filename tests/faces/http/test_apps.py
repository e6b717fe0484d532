"""Apps in the console: only a person can see, try and allow them, revoke that, and sign in and out."""

import json
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.faces.http.running import Answer, Running
from tests.oauth_server import OAuthServer, oauth_server
from tests.persons import without_presence
from tests.waiting import PATIENCE

PROGRAM = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    reply = {"version": "1.0", "request_id": said["request_id"], "status": "success", "result": said["params"]}
    print(json.dumps(reply), flush=True)
"""
CALL = {"app": "com.example.echo", "tool": "say", "params": {"text": "hi"}}


class Person:
    def __init__(self, rig: Running, pool: ThreadPoolExecutor, server: OAuthServer) -> None:
        self.rig, self.server, self._pool, self._signed_in = rig, server, pool, rig.sign_in()

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        more = {} if body is None else {"json": body}
        return self.rig.request(method, path, headers=self._signed_in, **more)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json["data"]

    def tries(self, params: Any) -> "Future[Answer]":
        return self._pool.submit(self.ask, "POST", "/api/tools/apps_call", params)

    def answers(self, **response: str) -> Any:
        """Returns the question."""
        while not (waiting := self.get("/api/prompts?state=pending")["entries"]):
            continue
        path = f"/api/prompts/{waiting[0]['requestId']}/response"
        assert self.ask("POST", path, {"response": response}).status == 200
        return waiting[0]["prompt"]

    def signed_in(self, id: str) -> Any:
        return self.get(f"/api/apps/{id}")["auth"]


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    home = tmp_path_factory.mktemp("home")
    with oauth_server() as server:
        for name, descriptor in _descriptors(server).items():
            file = home / ".aai" / name / "aai.json"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(descriptor))
        without_presence(home / "state")
        flags = ["--project", str(home), "--state", str(home / "state"), "--port", "0", "--no-open"]
        command, env = ["handrail", "up", *flags], {"HOME": str(home)}
        with Running(home / "state", home, env=env, command=command) as rig, ThreadPoolExecutor(2) as pool:
            yield Person(rig, pool, server)


def _descriptors(server: OAuthServer) -> dict[str, Any]:
    def app(id: str, execution: Any, **more: Any) -> Any:
        tool: dict[str, Any] = {"name": "say", "description": "Says it.", "parameters": {"type": "object"}}
        if execution["type"] == "http":
            tool["execution"] = {"path": "/say", "method": "POST"}
        about = {"id": id, "name": id.rpartition(".")[2].title(), "description": "An app."}
        return {"schema_version": "1.0", "app": about, "execution": execution, "tools": [tool], **more}

    web = {"type": "http", "base_url": f"{server.base}/api"}
    key = {"type": "api_key", "api_key": {"placement": "header", "name": "X-Key"}}
    oauth = {
        "authorization_endpoint": f"{server.base}/authorize",
        "token_endpoint": f"{server.base}/token",
        "client_id": "handrail",
    }
    program = {"type": "stdio", "command": sys.executable, "args": ["-c", PROGRAM], "env": {"VENDORS": "secret-value"}}
    return {
        "com.example.echo": app("com.example.echo", program),
        "com.example.keyed": app("com.example.keyed", web, auth=key),
        "com.example.web": app("com.example.web", web, auth={"type": "oauth2", "oauth2": oauth}),
        "com.example.broken": app("com.example.broken", {"type": "telepathy"}),
    }


def test_a_person_sees_the_apps_and_what_is_wrong_with_descriptors(person: Person) -> None:
    apps = person.get("/api/apps")
    assert [app["id"] for app in apps["apps"]] == ["com.example.echo", "com.example.keyed", "com.example.web"]
    assert [problem["field"] for problem in apps["problems"]] == ["execution.type"]
    report = person.get("/api/apps/com.example.echo")
    assert (report["tools"][0]["name"], report["execution"]["type"]) == ("say", "stdio")
    assert "secret-value" not in json.dumps(report)
    assert person.ask("GET", "/api/apps/com.example.none").status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/apps"),
        ("GET", "/api/apps/com.example.echo"),
        ("GET", "/api/apps/consents"),
        ("DELETE", "/api/apps/consents/0123456789ab"),
        ("POST", "/api/apps/com.example.keyed/key"),
        ("POST", "/api/apps/com.example.web/sign-in"),
        ("DELETE", "/api/apps/com.example.web/sign-in"),
    ],
)
def test_the_token_opens_none_of_it(person: Person, method: str, path: str) -> None:
    refused = person.rig.request(method, path)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert person.rig.request(method, path, headers={}).status == 401


def test_consent_for_an_app_is_remembered_listed_and_revoked(person: Person) -> None:
    first = person.tries(CALL)
    question = person.answers(status="ok", scope="rule", covers="app")
    assert question["consent"] == {"app": "com.example.echo", "appName": "Echo", "tool": "say"}
    assert "params.text: hi" in question["message"].split("\n")
    assert first.result().json["data"] == {"text": "hi"}
    assert person.ask("POST", "/api/tools/apps_call", CALL).json["data"] == {"text": "hi"}
    (consent,) = person.get("/api/apps/consents")["consents"]
    assert (consent["app"], consent["tool"], consent["valid"]) == ("com.example.echo", None, True)
    assert consent["by"].startswith("console:")
    path = f"/api/apps/consents/{consent['id']}"
    assert person.ask("DELETE", path).json["data"] == {"consents": []}
    assert person.ask("DELETE", path).status == 404
    assert person.ask("POST", f"{path}/restore", {}).json["data"] == {"consents": [consent]}
    assert person.ask("POST", "/api/tools/apps_call", CALL).json["data"] == {"text": "hi"}
    person.ask("DELETE", path)
    again = person.tries(CALL)
    person.answers(status="canceled", remark="not today")
    error = again.result().json["error"]["details"]["toolError"]
    assert (error["code"], error["details"]["remark"]) == ("PERMISSION_DENIED", "not today")


def test_a_key_is_stored_and_deleted(person: Person) -> None:
    id = "com.example.keyed"
    assert person.signed_in(id)["signedIn"] is False
    assert person.ask("POST", f"/api/apps/{id}/key", {"key": ""}).status == 400
    answer = person.ask("POST", f"/api/apps/{id}/key", {"key": "good-key"})
    assert answer.json["data"]["auth"]["signedIn"] is True
    assert b"good-key" not in answer.body
    assert person.ask("DELETE", f"/api/apps/{id}/sign-in").json["data"]["auth"]["signedIn"] is False
    assert person.ask("POST", f"/api/apps/{id}/sign-in", {}).status == 400


def test_a_sign_in_begins_here_and_ends_when_the_browser_has_come_back(person: Person) -> None:
    id = "com.example.web"
    abandoned = person.ask("POST", f"/api/apps/{id}/sign-in", {}).json["data"]["address"]
    address = person.ask("POST", f"/api/apps/{id}/sign-in", {}).json["data"]["address"]
    assert address.startswith(f"{person.server.base}/authorize?")
    assert address != abandoned
    assert person.signed_in(id)["isWaiting"] is True
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        assert "close this window" in page.read().decode()
    while person.signed_in(id)["isWaiting"]:
        continue
    assert person.signed_in(id)["signedIn"] is True
