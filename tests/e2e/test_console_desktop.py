"""The console's Desktop page in a real browser, with a real desktop: screenshot, outline, and what is missing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.console_person import Browser, Person
from tests.e2e.desktop_agent import desktop_agent, desktop_rig
from tests.effort import first_of
from tests.faces.http.running import Running


@pytest.fixture(scope="module")
def desktop(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    window = desktop_session.start(command("gtk3"))
    with desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig:
        yield rig
    desktop_session.end(window)


@pytest.fixture
def visitor(browser: Browser, desktop: Running) -> Iterator[Person]:
    person = browser.person_at(desktop)
    person.does("go", "desktop")
    yield person
    person.leaves()


def looked(visitor: Person) -> None:
    """Waits until this observation is shown: an earlier one may be shown before it."""
    visitor.does("wait", '.desktop-seen img, p.nothing:not(:text("Loading"))')
    was_there = visitor.does("count", ".desktop-seen img") > 0
    old = visitor.does("attribute", ".desktop-seen img", "data-url") if was_there else ""
    visitor.does("press", "Take screenshot")
    visitor.does("wait", f'.desktop-seen img[src]:not([data-url="{old}"])')
    visitor.does("wait", ".desktop-lines button")


def place_of(visitor: Person) -> list[float]:
    """Returns the box's place in the picture, as fractions of the picture."""
    place: list[float] = visitor.does("within", ".desktop-seen .box.pointed", ".desktop-seen img")
    return place


@pytest.mark.trial("console", is_long=True)
def test_before_the_first_observation_the_page_explains_how_to_get_one(visitor: Person) -> None:
    visitor.does("see", "No screenshot of the desktop yet.")
    assert visitor.does("audit") == []


def test_a_look_shows_the_screen_and_the_window_in_words(visitor: Person) -> None:
    looked(visitor)
    assert visitor.does("size", ".desktop-seen img") == [1920, 1080]
    visitor.does("see", f'button "{texts.COUNT}"', ".desktop-lines")
    visitor.does("see", texts.TITLE, ".facts")


@pytest.mark.trial("console", is_long=True)
def test_a_line_outlines_its_element_and_a_place_in_the_picture_chooses_its_line(visitor: Person) -> None:
    looked(visitor)
    visitor.does("hover", ".desktop-lines button", f'"{texts.COUNT}"')
    left, top, width, height = place_of(visitor)
    frame = _frame(visitor.rig, texts.COUNT)
    expected = (frame["x"] / 1920, frame["y"] / 1080, frame["width"] / 1920, frame["height"] / 1080)
    assert (left, top, width, height) == pytest.approx(expected, abs=0.01)
    visitor.does("hover", "h1", "Desktop")
    visitor.does("clickIn", ".desktop-seen .drawn", left + width / 2, top + height / 2)
    assert f'"{texts.COUNT}"' in visitor.does("text", ".desktop-lines button[aria-pressed=true]")


@pytest.mark.trial("console", is_long=True)
def test_the_keyboard_goes_through_the_lines(visitor: Person) -> None:
    looked(visitor)
    visitor.does("tabTo", ".desktop-lines button")
    visitor.does("key", "ArrowDown")
    visitor.does("wait", ".desktop-lines li:nth-child(2) button[aria-pressed=true]")
    assert place_of(visitor)[2] > 0


@pytest.mark.trial("console", is_long=True)
def test_another_window_is_looked_at_when_it_is_chosen(visitor: Person, desktop_session: DesktopSession) -> None:
    other = desktop_session.start(command("gtk3", "--title", "Another bench"))
    looked(visitor)
    visitor.does("see", "Another bench", ".facts")
    visitor.does("choose", "Window", f"{texts.TITLE} – Gtk3.py")
    visitor.does("see", texts.TITLE, ".facts")
    desktop_session.end(other)


def test_an_agents_observations_appear_without_a_reload(
    visitor: Person, desktop: Running, desktop_session: DesktopSession
) -> None:
    looked(visitor)
    before = visitor.does("attribute", ".desktop-seen img", "data-url")
    with desktop_agent(desktop_session, desktop) as agent:
        result = agent.does("desktop_observe")["executionId"]
    visitor.does("wait", f".desktop-seen img[data-url='/api/desktop/picture/{result}'][src]")
    assert result not in before


@pytest.mark.parametrize(
    ("locale", "scheme", "width"),
    first_of("access", ("zh-CN", "light", 360), ("zh-CN", "dark", 1280), ("en-US", "light", 1280), suite=0),
)
def test_the_page_is_for_everybody_in_both_languages_and_schemes(
    browser: Browser, desktop: Running, locale: str, scheme: str, width: int
) -> None:
    person = browser.person_at(desktop, locale=locale, colorScheme=scheme, width=width, height=740)
    person.does("go", "desktop")
    person.does("press", "Take screenshot" if locale == "en-US" else "截图")
    person.does("wait", ".desktop-lines button")
    assert person.does("audit") == []
    person.leaves()


@pytest.mark.trial("console", is_long=True)
def test_without_a_display_the_page_says_what_is_missing_and_how_to_get_it(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    flags = ["--project", str(tmp_path / "project"), "--state", str(tmp_path / "s"), "--port", "0", "--no-open"]
    environ = {name: "" for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS") if name in os.environ}
    env = {**environ, "HANDRAIL_DESKTOP": "true", "XDG_RUNTIME_DIR": str(tmp_path)}
    with Running(tmp_path / "s", tmp_path / "project", command=["handrail", "up", *flags], env=env) as rig:
        person = browser.person_at(rig)
        person.does("go", "desktop")
        person.does("see", "There is no display.")
        person.does("press", "Take screenshot")
        person.does("wait", ".problem")
        assert person.does("audit") == []
        person.leaves()


def test_programs_with_only_the_token_see_nothing_of_it(desktop: Running) -> None:
    for method, path in (("GET", "view"), ("GET", "doctor"), ("POST", "look"), ("GET", "picture/x")):
        refused = desktop.request(method, f"/api/desktop/{path}", **({"json": {}} if method == "POST" else {}))
        assert (refused.status, refused.code) == (403, "FORBIDDEN")


def _frame(rig: Running, title: str) -> dict[str, int]:
    sight = rig.request("GET", "/api/desktop/view", headers=rig.sign_in()).json["data"]
    frame: dict[str, int] = next(line["frame"] for line in sight["lines"] if f'"{title}"' in line["text"])
    return frame
