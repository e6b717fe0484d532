"""`/api/servers`: people add, review, accept and remove servers in the console; programs can't."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.running import Answer, Running
from tests.features.gateway.rig import odd_command
from tests.persons import without_presence


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    project = tmp_path / "project"
    project.mkdir()
    without_presence(tmp_path / "state")
    flags = ["--project", str(project), "--state", str(tmp_path / "state"), "--port", "0", "--no-open"]
    with Running(tmp_path / "state", project, command=["handrail", "up", *flags]) as running:
        yield running


def test_a_server_is_added_reviewed_accepted_used_and_removed(running: Running, tmp_path: Path) -> None:
    person = running.sign_in()

    def ask(method: str, path: str, body: Any = None) -> Answer:
        return running.request(method, path, headers=person, **({} if body is None else {"json": body}))

    now = tmp_path / "now"
    command, *args = odd_command("changes", now)
    added = ask("POST", "/api/servers", {"name": "odd", "entry": {"command": command, "args": args}})
    assert (added.status, added.json["data"]["accepted"]) == (200, [])
    data = ask("GET", "/api/servers/odd/review").json["data"]
    assert (data["new"], data["withoutAsking"]) == (["say"], ["say"])
    assert "+  │ Says it back." in data["diff"]
    now.touch()
    late = ask("POST", "/api/servers/odd/accept", {"digest": data["digest"]})
    assert (late.status, "something else by now" in late.json["error"]["message"]) == (409, True)
    again = ask("GET", "/api/servers/odd/review").json["data"]
    assert ask("POST", "/api/servers/odd/accept", {"digest": again["digest"]}).status == 200
    response = running.request("POST", "/api/tools/odd__say", json={"text": "hello"})
    assert response.json["data"] == {"text": "hello"}
    assert [each["name"] for each in ask("GET", "/api/servers").json["data"]["servers"]] == ["odd"]
    assert ask("DELETE", "/api/servers/odd").json["data"] == {"servers": []}


def test_programs_cannot_manage_servers(running: Running) -> None:
    for method, path in (
        ("GET", "/api/servers"),
        ("POST", "/api/servers"),
        ("GET", "/api/servers/odd"),
        ("DELETE", "/api/servers/odd"),
        ("GET", "/api/servers/odd/review"),
        ("POST", "/api/servers/odd/accept"),
        ("GET", "/api/servers/odd/log"),
    ):
        assert running.request(method, path, json={}).status in (401, 403), path


def test_without_proof_of_presence_nothing_is_added(running: Running) -> None:
    (running.state / "config.toml").write_text('presence = "always"\n')
    entry = {"name": "odd", "entry": {"command": "true"}}
    refused = running.request("POST", "/api/servers", headers=running.sign_in(), json=entry)
    assert refused.status == 403
    assert "needs proof that a person is present" in refused.json["error"]["message"]
    assert not (running.state / "servers.json").exists()
