"""Numbers on clickable places, from the tree or from the pixels of programs without accessibility; text in pixels."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import ROOT, SYSTEM_PYTHON, command, texts
from tests.desktop_session import App, DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig
from tests.features.desktop.conformance.png import pixels
from tests.waiting import until

APPS = ROOT / "tests" / "desktop_apps"
ROUTE = {"window": {"titlePattern": "^Buttons$"}}
PROGRAMS = {
    "tk": [SYSTEM_PYTHON, str(APPS / "tk_buttons.py")],
    "gtk2": [SYSTEM_PYTHON, str(APPS / "gtk2_buttons.py")],
    "swing": ["java", str(APPS / "Buttons.java")],
}
LONG = [pytest.mark.trial("marks", is_long=True)]


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopAgent]:
    with (
        desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig,
        desktop_agent(desktop_session, rig) as agent,
    ):
        yield agent


@pytest.fixture(params=["tk", "gtk2", pytest.param("swing", marks=LONG)])
def program(desktop_session: DesktopSession, request: pytest.FixtureRequest) -> Iterator[App]:
    env = {"NO_AT_BRIDGE": "1", "_JAVA_AWT_WM_NONREPARENTING": "1"}
    started = desktop_session.start(PROGRAMS[request.param], wait_for="nothing", env=env)
    until(lambda: "]]" in started.said, lambda: started.said)
    yield started
    desktop_session.end(started)


def places(program: App) -> list[list[int]]:
    data: list[list[int]] = json.loads(next(line for line in program.said.splitlines() if "]]" in line))
    return data


def mark_of(marks: list[dict[str, Any]], place: list[int]) -> int | None:
    """Returns the mark of the box that belongs to this button."""
    x, y, width, height = place
    for mark in marks:
        frame = mark["frame"]
        middle = (frame["x"] + frame["width"] // 2, frame["y"] + frame["height"] // 2)
        is_centred = abs(middle[0] - x - width // 2) <= 6 and abs(middle[1] - y - height // 2) <= 6
        if is_centred and abs(frame["width"] - width) <= 12 and abs(frame["height"] - height) <= 6:
            return int(mark["mark"])
    return None


def allowed(agent: DesktopAgent, tool: str, **arguments: Any) -> str:
    id = agent.begins(tool, **arguments)
    title: str = agent.person.answers("--ok")["prompt"]["title"]
    result = agent.gets(id)
    assert not result.get("isError"), result
    return title


@pytest.mark.trial("marks", is_long=True)
def test_nine_of_ten_buttons_of_an_inaccessible_program_can_be_clicked_by_their_mark(
    agent: DesktopAgent, program: App
) -> None:
    result = agent.does("desktop_observe", route=ROUTE, options={"marks": True, "area": "window"})
    matches = [mark_of(result["marks"], place) for place in places(program)]
    assert len([mark for mark in matches if mark is not None]) >= 0.9 * len(matches)
    assert len(result["marks"]) <= 1.2 * len(matches), "most boxes are no buttons"
    number, mark = next((place, one) for place, one in enumerate(matches, 1) if one is not None)
    question = allowed(agent, "desktop_click", target={"mark": mark})
    assert f"mark {mark}:" in question
    until(lambda: f"Button {number}\n" in program.said, lambda: program.said)


def test_marks_of_a_program_that_can_be_read_are_the_numbers_of_its_elements(
    agent: DesktopAgent, desktop_session: DesktopSession
) -> None:
    app = desktop_session.start(command("gtk3", "--title", "Marked"))
    try:
        route = {"window": {"titlePattern": "^Marked$"}}
        result = agent.does("desktop_find", route=route, selector={"byRole": "AXButton", "titleContains": texts.COUNT})
        button = result["elementRefs"][0]["elementId"]
        plain = agent.does("desktop_observe", route=route, options={"area": "window"})
        outcome = agent.does("desktop_observe", route=route, options={"marks": True, "area": "window"})
        mark = next(mark["mark"] for mark in outcome["marks"] if mark.get("elementId") == button)
        assert button == f"e:{mark}"
        assert picture(plain) != picture(outcome)
        allowed(agent, "desktop_click", target={"mark": mark}, route=route)
        until(
            lambda: agent.does("desktop_find", route=route, selector={"titleContains": texts.COUNTED.format(1)})[
                "matched"
            ],
            "it was not clicked",
        )
    finally:
        desktop_session.end(app)


def picture(request: dict[str, Any]) -> bytes:
    return pixels(Path(request["evidence"]["dir"], request["evidence"]["screenshotPath"]).read_bytes())


@pytest.mark.trial("marks", is_long=True)
@pytest.mark.parametrize("program", ["tk"], indirect=True)
def test_text_in_pixels_is_read_with_its_place(agent: DesktopAgent, program: App) -> None:
    read = agent.does("desktop_ocr", route=ROUTE)
    line = next(line for line in read["lines"] if "Nothing to press" in line["text"])
    _, y, _, height = places(program)[-1]
    assert line["frame"]["y"] > y + height
    first = places(program)[0]
    rect = dict(zip(("x", "y", "width", "height"), first, strict=True))
    part = agent.does("desktop_ocr", route=ROUTE, rect=rect)
    assert "Button 1" in " ".join(line["text"] for line in part["lines"])
