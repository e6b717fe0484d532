"""Connecting clients from the console: a person writes exactly the shown changes into the clients' files."""

import json
from pathlib import Path

import pytest

from tests.faces.http.running import Running


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "persons-home"
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/settings.json").write_text('{"mcpServers": {"github": {"command": "npx"}}}')
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def test_a_person_connects_a_client_as_it_was_shown_and_disconnects_it(home: Path, state: Path, project: Path) -> None:
    file = home / ".gemini/settings.json"
    before = file.read_text()
    with Running(state, project) as rig:
        person = rig.sign_in()
        listing = rig.request("GET", "/api/clients", headers=person).json["data"]
        gemini = next(each for each in listing["clients"] if each["name"] == "gemini")
        assert (gemini["found"], gemini["connected"], gemini["otherServers"]) == (True, False, ["github"])
        assert listing["command"].endswith(f"--project {project}")

        path = "/api/clients/gemini/connect"
        refused = rig.request("POST", path, json={"shown": "0" * 64}, headers=person)
        assert (refused.status, file.read_text()) == (409, before)
        response = rig.request("POST", path, json={"shown": gemini["shown"]}, headers=person)
        assert response.status == 200, response
        assert (response.json["data"]["client"]["connected"], response.json["data"]["project"]) == (True, str(project))
        entry = json.loads(file.read_text())["mcpServers"]["handrail"]
        assert entry == gemini["edits"][0]["value"]

        assert rig.request("POST", "/api/clients/gemini/disconnect", json={}, headers=person).status == 200
        assert file.read_text() == before


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/clients"), ("POST", "/api/clients/claude/connect"), ("POST", "/api/clients/claude/disconnect")],
)
def test_a_program_neither_sees_nor_changes_clients(method: str, path: str, server: Running) -> None:
    answer = server.request(method, path, headers=server.bearer)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
