"""A program without accessibility is listed, captured, and used through points, keys and window actions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command
from tests.desktop_session import App, DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig, error_of
from tests.features.desktop.conformance.png import pixel
from tests.waiting import until

TITLE = "Pad"
ROUTE = {"window": {"titlePattern": f"^{TITLE}$"}}


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopAgent]:
    with (
        desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig,
        desktop_agent(desktop_session, rig) as agent,
    ):
        yield agent


class Pad:
    def __init__(self, session: DesktopSession, folder: Path) -> None:
        self.out, self.now = folder / "events", folder / "now"
        self.out.touch()
        arguments = ("--out", str(self.out), "--now", str(self.now))
        self.app: App = session.start(
            command("pad", *arguments), wait_for="window", env={"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
        )

    def point(self, agent: DesktopAgent, x: int, y: int) -> dict[str, int]:
        """Converts a point of the window to one of the screen."""
        frame = self.window(agent)["frame"]
        return {"x": frame["x"] + x, "y": frame["y"] + y}

    def window(self, agent: DesktopAgent) -> dict[str, Any]:
        result = agent.does("desktop_observe", route=ROUTE, options={"includeScreenshot": False})
        return next(window for window in result["windows"] if window["title"] == TITLE)

    def has(self, *events: str) -> bool:
        """Whether they appear in this order, with anything in between."""
        lines = iter(self.out.read_text().splitlines())
        return all(any(line.startswith(event) for line in lines) for event in events)

    def wait_for_events(self, *events: str) -> None:
        until(lambda: self.has(*events), lambda: self.out.read_text())


@pytest.fixture
def pad(desktop_session: DesktopSession, tmp_path: Path) -> Iterator[Pad]:
    pad_window = Pad(desktop_session, tmp_path)
    yield pad_window
    desktop_session.end(pad_window.app)


def allowed(agent: DesktopAgent, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Returns the question's title and the call's result."""
    id = agent.begins(tool, **arguments)
    title = agent.person.answers("--ok")["prompt"]["title"]
    result = agent.gets(id)
    assert not result.get("isError"), result
    return title, result["structuredContent"]


@pytest.mark.trial("desktop", is_long=True)
def test_a_window_that_cant_be_read_is_listed_and_seen(agent: DesktopAgent, pad: Pad) -> None:
    window = pad.window(agent)
    assert window["isReadable"] is False
    assert window["pid"] == pad.app.pid
    result = agent.does("desktop_observe", route=ROUTE)
    assert "exposes no elements" in result["outline"]
    assert result["evidence"]["screenshotPath"]


@pytest.mark.trial("desktop", is_long=True)
def test_a_menu_of_an_unreadable_window_is_refused_with_an_alternative(agent: DesktopAgent, pad: Pad) -> None:
    agent.begins("desktop_menu", route=ROUTE, path=["File", "New"])
    agent.person.answers("--ok")
    error = error_of(agent.gets())
    assert "exposes no menus" in error["message"]
    assert "desktop_hotkey" in error["details"]["hint"]


def test_a_point_is_clicked_and_the_question_names_it(agent: DesktopAgent, pad: Pad) -> None:
    point = pad.point(agent, 120, 80)
    question, result = allowed(agent, "desktop_click", target={"point": point})
    assert f"at {point['x']},{point['y']}" in question
    assert TITLE in question
    assert result["clicked"] is True
    assert (result["effect"], [change["what"] for change in result["changed"]]) == ("seen", ["picture"])
    pad.wait_for_events("press 1 at 120,80", "release at 120,80")


@pytest.mark.trial("desktop", is_long=True)
def test_other_buttons_and_double_clicks_arrive(agent: DesktopAgent, pad: Pad) -> None:
    target = {"point": pad.point(agent, 50, 60)}
    question, _ = allowed(agent, "desktop_click", target=target, options={"button": "right"})
    assert "right button" in question
    pad.wait_for_events("press 3 at 50,60")
    question, _ = allowed(agent, "desktop_click", target=target, options={"count": 2})
    assert question.startswith("Double-click")
    pad.wait_for_events("double 1 at 50,60")


@pytest.mark.trial("desktop", is_long=True)
def test_the_pointer_hovers_scrolls_and_drags(agent: DesktopAgent, pad: Pad) -> None:
    target = {"point": pad.point(agent, 40, 40)}
    allowed(agent, "desktop_pointer", gesture="hover", target=target)
    pad.wait_for_events("motion at 40,40")
    allowed(agent, "desktop_pointer", gesture="scroll", target=target, down=2)
    pad.wait_for_events("scroll down at 40,40", "scroll down at 40,40")
    allowed(agent, "desktop_pointer", gesture="scroll", target=target, right=-1)
    pad.wait_for_events("scroll left at 40,40")
    end = pad.point(agent, 240, 140)
    question, _ = allowed(agent, "desktop_pointer", gesture="drag", target=target, to=end)
    assert f"to {end['x']},{end['y']}" in question
    pad.wait_for_events("press 1 at 40,40", "release at 240,140")


@pytest.mark.trial("desktop", is_long=True)
def test_a_drag_never_ends_in_another_window(agent: DesktopAgent, pad: Pad) -> None:
    id = agent.begins(
        "desktop_pointer", gesture="drag", target={"point": pad.point(agent, 40, 40)}, to={"x": 1, "y": 1}
    )
    agent.person.answers("--ok")
    assert error_of(agent.gets(id))["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert not pad.has("press")


def test_a_click_is_bound_to_the_pixels_that_were_shown(agent: DesktopAgent, pad: Pad) -> None:
    id = agent.begins("desktop_click", target={"point": pad.point(agent, 120, 80)})
    first = agent.person.sees()
    pad.now.touch()
    until(lambda: picture_has_changed(agent, pad), "it looks the same")
    agent.person.answers("--ok")
    again = until(lambda: [one for one in agent.person.pending() if one["requestId"] != first["requestId"]], "asked")
    assert not pad.has("press")
    agent.person.answers("--ok")
    assert not agent.gets(id).get("isError")
    assert again[0]["prompt"]["changed"]
    pad.wait_for_events("press 1 at 120,80")


def picture_has_changed(agent: DesktopAgent, pad: Pad) -> bool:
    point = pad.point(agent, 120, 80)
    result = agent.does("desktop_observe", route=ROUTE)["evidence"]
    picture = Path(result["dir"], result["screenshotPath"]).read_bytes()
    return pixel(picture, point["x"], point["y"]) == (0, 0, 0)


def test_a_point_of_another_window_than_the_routes_is_refused(agent: DesktopAgent, pad: Pad) -> None:
    error = agent.is_refused("desktop_click", route=ROUTE, target={"point": {"x": 2, "y": 2}})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"


@pytest.mark.trial("desktop", is_long=True)
def test_a_window_is_moved_resized_and_closed(agent: DesktopAgent, pad: Pad) -> None:
    allowed(agent, "desktop_window", route=ROUTE, action="move", x=300, y=200)
    until(lambda: (pad.window(agent)["frame"]["x"], pad.window(agent)["frame"]["y"]) == (300, 200), "it is elsewhere")
    allowed(agent, "desktop_window", route=ROUTE, action="resize", width=500, height=400)
    pad.wait_for_events("size 500 400")
    question, _ = allowed(agent, "desktop_window", route=ROUTE, action="close")
    assert question.startswith("Close window")
    until(lambda: not pad.app.is_running, "it is still open")
