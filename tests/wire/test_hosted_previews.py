"""Which process shows a scene: `handrail up` if it runs for the project, otherwise the called process (rulings 3)."""

import base64
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from handrail import __version__
from tests.features.desktop.conformance.png import pixel
from tests.waiting import until
from tests.wire.cinema import BLUE, GREEN, RED, furnish, newest_picture
from tests.wire.clients import Cli, Json, Start, Stdio, Up
from tests.wire.stage import put, put_policy

pytestmark = pytest.mark.timeout(300)
BY_SERVER = "The address works while `handrail up` runs."
BY_PROCESS = "The address works until the called process ends; `handrail up` keeps it."
NO_TERRE = {"HANDRAIL_TERRE": "off", "HANDRAIL_DESKTOP": "false"}
NO_BROWSER = {**NO_TERRE, "PATH": "/nowhere"}
PATIENCE = 60
_ESTABLISHED = "01"


class Hosted:
    """A project with its server, and an agent's program that has no browser of its own."""

    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir(parents=True)
        furnish(self.project)
        self.up = Up(self.project, self.state, environ=NO_TERRE)
        self.agent = Stdio(self.project, self.state, environ=NO_BROWSER)

    def ask(self, *, key: bool = True, **changed: Any) -> httpx2.Response:
        """Sends a request as another process of handrail does."""
        ground = {"version": __version__, "project": str(self.project), "terre": "off", "terrePort": 3001}
        ground |= {name: changed.pop(name) for name in tuple(changed) if name in ground}
        expected = {"ground": ground, "path": "game/scene/start.txt", "line": 2, **changed}
        content = {"x-handrail-console-key": (self.state / "console.key").read_text().strip()} if key else {}
        return self.up.http.post("/api/webgal/showing", json=expected, headers=content)

    def close(self) -> None:
        self.agent.close()
        self.up.close()


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    hosted = Hosted(tmp_path_factory.mktemp("hosted"))
    yield hosted
    hosted.close()


@pytest.fixture
def hosted(hosts: Hosted) -> Hosted:
    put_policy(hosts.project)
    return hosts


def served(result: Json) -> str:
    return str(result["url"]).partition("#")[0]


def test_the_server_that_runs_shows_scenes_and_their_address_outlives_the_process_that_was_called(
    hosted: Hosted,
) -> None:
    result = Cli(hosted.project, hosted.state, environ=NO_BROWSER).ok("preview_scene", scenePath="beach_date.txt")
    assert result["logs"] == ["beach_date.txt is shown at line 2.", BY_SERVER]
    assert pixel(newest_picture(hosted.project), 20, 20) == GREEN
    assert httpx2.get(f"{served(result)}game/scene/start.txt", trust_env=False).text.startswith("changeBg:red.png")
    again = hosted.agent.ok("preview_scene", scenePath="wanting.txt")
    assert served(again) == served(result), "it is the same place, and warm"
    assert again["firstErrorLine"] == 2
    assert again["logs"][-1] == BY_SERVER
    assert pixel(newest_picture(hosted.project), 20, 20) == RED


def test_each_preview_passes_one_gate_and_is_audited_once(hosted: Hosted) -> None:
    def told() -> list[Json]:
        lines = (hosted.state / "audit/log.jsonl").read_text().splitlines()
        return [record for record in map(json.loads, lines) if record.get("tool") == "preview_scene"]

    hosted.agent.ok("preview_scene")  # there is no record before the first call
    before = len(told())
    hosted.agent.ok("preview_scene")
    assert len(told()) == before + 1


def test_a_scenes_failure_on_the_server_is_the_callers_error(hosted: Hosted) -> None:
    put(hosted.project, "game/scene/hidden.txt", "雪乃:藏;\n")
    put_policy(hosted.project, rules=[{"effect": "READ", "path": "game/scene/hidden.txt", "decision": "deny"}])
    assert hosted.agent.code("preview_scene", scenePath="hidden.txt") == "E_POLICY_VIOLATION"
    refused = hosted.ask(path="game/scene/hidden.txt").json()["error"]
    assert refused["details"]["toolError"]["code"] == "E_POLICY_VIOLATION"
    tool_error = hosted.ask(path="game/scene/strat.txt").json()["error"]["details"]["toolError"]
    assert (tool_error["code"], tool_error["hint"]) == ("E_PREVIEW_FAIL", "Did you mean start.txt?")
    assert hosted.ask(path="../start.txt").json()["error"]["details"]["toolError"]["code"] == "E_DENY_PATH"


def test_unsaved_content_is_shown_by_the_server_and_written_nowhere(hosted: Hosted) -> None:
    before = (hosted.project / "game/scene/start.txt").read_bytes()
    text = 'changeBg:海 100% "x" 🌊.png -next;\n雪乃:未保存;\n'
    response = hosted.ask(content=text).json()["data"]
    assert response["position"]["stage"]["showText"] == "未保存"
    assert pixel(_bytes(response["picture"]), 20, 20) == BLUE
    assert (hosted.project / "game/scene/start.txt").read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"key": False}, 403),
        ({"project": "/"}, 409),
        ({"version": "0.0.0"}, 409),
        ({"terre": "auto"}, 409),
        ({"terrePort": 1}, 409),
        ({"line": "2"}, 400),
    ],
)
def test_the_server_refuses_previews_without_the_key_or_for_another_project_version_or_setting(
    hosted: Hosted, changed: Json, status: int
) -> None:
    answer = hosted.ask(**changed)
    assert answer.status_code == status
    assert "toolError" not in answer.json()["error"]["details"]


def test_a_scene_of_another_project_is_shown_by_the_process_that_was_called(
    hosted: Hosted, own_project: Path, start: Start
) -> None:
    """This process has no browser, so it fails; the server's browser would have shown the scene."""
    other = start("stdio", own_project, hosted.state, environ=NO_BROWSER)
    assert "Chromium" in other.error("preview_scene")["message"]


@pytest.mark.trial("previews", is_long=True)
def test_a_server_started_later_takes_over_and_a_killed_one_is_replaced(
    own_project: Path, own_state: Path, start: Start
) -> None:
    furnish(own_project)
    agent = start("stdio", own_project, own_state, environ=NO_TERRE)
    assert agent.ok("preview_scene")["logs"] == ["start.txt is shown at line 2.", BY_PROCESS]
    up = Up(own_project, own_state, environ=NO_BROWSER)
    try:
        assert "Chromium" in agent.error("preview_scene")["message"], "the server, which has none, was asked"
        os.kill(up.process.pid, signal.SIGSTOP)
        messages: list[Json] = []
        calling = threading.Thread(target=lambda: messages.append(agent.ok("preview_scene")))
        calling.start()
        _until_asked(up)
    finally:
        up.kill()
    calling.join(PATIENCE)
    assert messages[0]["logs"] == ["start.txt is shown at line 2.", BY_PROCESS]


def _until_asked(up: Up) -> None:
    """Waits until a request has reached a stopped server, which can't have read it."""
    ending = f":{up.http.base_url.port or 0:04X}"
    until(lambda: any(local.endswith(ending) and unread for local, unread in _connections()))


def _connections() -> list[tuple[str, int]]:
    """Returns this machine's connections: their local ends, and how many bytes wait to be read."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [(row[1], int(row[4].partition(":")[2], 16)) for row in rows if row[3] == _ESTABLISHED]


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
