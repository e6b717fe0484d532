"""A password typed on the desktop reaches its field and is stored nowhere."""

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command
from tests.desktop_session import App, DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig
from tests.e2e.desktop_bridge import DesktopClient
from tests.faces.http.running import Running
from tests.features.desktop.conformance.png import pixel
from tests.persons import HANDRAIL

SECRET = "correct horse 9z"
FIELD = {"selector": {"byRole": "AXSecureTextField"}}
LENGTH = f"{len(SECRET)} characters"
BLACK = (0, 0, 0)


@pytest.fixture(scope="module")
def rig(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig:
        yield rig


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, rig: Running) -> Iterator[DesktopAgent]:
    with desktop_agent(desktop_session, rig) as agent:
        yield agent


@pytest.fixture(autouse=True)
def window(desktop_session: DesktopSession) -> Iterator[App]:
    app = desktop_session.start(command("login"))
    yield app
    desktop_session.end(app)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def files_with(folder: Path) -> list[str]:
    """Returns the files that contain the password in any encoding."""
    spellings = [SECRET.encode(), SECRET.encode("utf-16-le"), SECRET.replace(" ", "\\u0020").encode()]
    return [str(path) for path in files(folder) if any(one in path.read_bytes() for one in spellings)]


def is_typed(agent: DesktopAgent) -> bool:
    there = {"selectorExists": {"titleContains": LENGTH}}
    return bool(agent.does("desktop_wait_until", condition=there, timeoutMs=20_000)["ok"])


@pytest.mark.parametrize("target", [{"target": FIELD}, {}], ids=["by its field", "by the focus"])
def test_a_password_is_typed_and_is_in_no_question_log_or_evidence(agent: DesktopAgent, target: Any) -> None:
    agent.begins("desktop_type_text", text=SECRET, **target)
    prompt = agent.person.answers("--ok")["prompt"]
    assert "******" in prompt["title"]
    assert SECRET not in str(prompt)
    assert not agent.gets().get("isError")
    assert is_typed(agent)
    assert files_with(agent.project) == []
    assert files_with(agent.state) == []


@pytest.mark.trial("desktop", is_long=True)
def test_a_person_can_look_at_the_password_before_they_decide(agent: DesktopAgent, rig: Running) -> None:
    agent.begins("desktop_type_text", text=SECRET, target=FIELD)
    question = agent.person.sees()
    assert question["prompt"]["masked"] == ["text"]
    person = rig.sign_in()
    path = f"/api/prompts/{question['requestId']}/masked"
    response = rig.request("POST", path, headers=person, json={})
    assert response.json["data"] == {"values": {"text": SECRET}}
    assert response.headers["cache-control"] == "no-store"
    assert rig.request("POST", path, json={}).status == 403
    command = [HANDRAIL, "prompts", "show", question["requestId"], "--password", "--state", str(agent.state)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == f"text: {SECRET}\n"

    agent.person.answers("--cancel")
    assert agent.gets()["isError"]
    assert rig.request("POST", path, headers=person, json={}).status == 404
    assert files_with(agent.project) == []
    assert files_with(agent.state) == []


def test_a_host_that_is_called_directly_asks_without_the_password(agent: DesktopAgent) -> None:
    client = DesktopClient(agent.state / "desktop.sock", agent.project)
    params = {"target": FIELD, "text": SECRET}
    result = client.begin("confirm.issue", intent={"method": "desktop.typeText", "params": params})
    prompt = agent.person.answers("--ok")["prompt"]
    token = client.end(result)["token"]
    assert client.call("typeText", **params, confirm={"token": token})["typed"]
    client.close()
    assert "******" in str(prompt)
    assert SECRET not in str(prompt)
    assert is_typed(agent)
    assert files_with(agent.project) == []
    assert files_with(agent.state) == []


@pytest.mark.trial("desktop", is_long=True)
def test_the_field_is_black_in_every_picture(agent: DesktopAgent) -> None:
    [field] = agent.does("desktop_find", **FIELD)["elementRefs"]
    place = field["frame"]
    result = agent.does("desktop_observe")
    agent.begins("desktop_type_text", text=SECRET, target=FIELD)
    agent.person.answers("--ok")
    typed = agent.gets()["structuredContent"]
    pictures = [
        Path(result["evidence"]["dir"], result["evidence"]["screenshotPath"]),
        Path(typed["evidence"]["dir"], typed["evidence"]["beforeScreenshot"]),
        Path(typed["evidence"]["dir"], typed["evidence"]["afterScreenshot"]),
    ]
    for picture in pictures:
        data = picture.read_bytes()
        for part in (1, 2, 3):
            x, y = place["x"] + place["width"] * part // 4, place["y"] + place["height"] // 2
            assert pixel(data, x, y) == BLACK, (picture.name, part)


def test_only_the_owner_can_read_evidence_and_git_ignores_it(agent: DesktopAgent) -> None:
    agent.does("desktop_observe")
    root = agent.project / "artifacts" / "desktop"
    assert (root / ".gitignore").read_text() == "*\n"
    everything = [root, *root.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in everything}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
