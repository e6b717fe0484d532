"""The life cycle of an app over MCP: launched, used through its menu and the clipboard, and quit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig, error_of
from tests.waiting import until

ROUTE = {"app": {"name": "mousepad"}}
NOTE = "note.txt"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("d")


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, project: Path) -> Iterator[DesktopAgent]:
    with desktop_rig(desktop_session, project) as rig, desktop_agent(desktop_session, rig) as agent:
        yield agent


def allowed(agent: DesktopAgent, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Returns the question's title and the call's result."""
    id = agent.begins(tool, **arguments)
    title = agent.person.answers("--ok")["prompt"]["title"]
    result = agent.gets(id)
    assert not result.get("isError"), result
    return title, result["structuredContent"]


def titles(agent: DesktopAgent) -> list[str]:
    result = agent.does("desktop_observe", options={"includeScreenshot": False})
    return [window["title"] for window in result["windows"]]


@pytest.mark.trial("desktop", is_long=True)
def test_an_app_is_launched_with_a_file_used_by_its_menu_and_quit(agent: DesktopAgent) -> None:
    (agent.project / NOTE).write_text("first line\n")
    question, launched = allowed(agent, "desktop_launch", app="mousepad", file=NOTE)
    assert "mousepad" in question
    assert NOTE in question
    assert NOTE in launched["window"]["title"]

    window = {"window": {"id": launched["window"]["windowId"]}}
    question, _ = allowed(agent, "desktop_menu", path=["Edit", "Select All"], route=window)
    assert "Edit ▸ Select All" in question
    allowed(agent, "desktop_menu", path=["edit", "Copy"], route=ROUTE)
    question, result = allowed(agent, "desktop_clipboard", action="read")
    assert question == "Read the clipboard"
    assert result["text"] == "first line\n"

    _, result = allowed(agent, "desktop_clipboard", action="write", text="second 世界")
    assert result["done"] is True
    allowed(agent, "desktop_menu", path=["Edit", "Paste"], route=ROUTE)
    allowed(agent, "desktop_menu", path=["File", "Save"], route=ROUTE)
    until(lambda: (agent.project / NOTE).read_text() == "second 世界", lambda: (agent.project / NOTE).read_text())

    id = agent.begins("desktop_menu", path=["File", "Nonsense"], route=ROUTE)
    agent.person.answers("--ok")
    error = error_of(agent.gets(id))
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert "Save As" in str(error)

    question, _ = allowed(agent, "desktop_window", action="quit", route=ROUTE)
    assert question.startswith("Quit ")
    until(lambda: not any("Mousepad" in title for title in titles(agent)), lambda: str(titles(agent)))


def test_missing_programs_and_programs_outside_of_the_system_are_not_launched(agent: DesktopAgent) -> None:
    for arguments in ({"app": "no.such.App"}, {"app": "mousepad", "file": "../outside.txt"}):
        id = agent.begins("desktop_launch", **arguments)
        agent.person.answers("--ok")
        assert agent.gets(id)["isError"]


def test_a_password_that_is_set_as_a_value_is_masked(agent: DesktopAgent, desktop_session: DesktopSession) -> None:
    app = desktop_session.start(command("login"))
    try:
        result = agent.does("desktop_find", selector={"byRole": "AXSecureTextField"})
        target = {"elementRef": {"elementId": result["elementRefs"][0]["elementId"]}}
        question, _ = allowed(agent, "desktop_set_value", target=target, value="hunter2secret")
        assert "hunter2secret" not in question
        files = [path for path in agent.project.rglob("*") if path.is_file() and b"hunter2secret" in path.read_bytes()]
        assert files == []
    finally:
        desktop_session.end(app)
