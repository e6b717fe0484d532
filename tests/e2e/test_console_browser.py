"""The console's Browser page with a plugin written from the contract, and with the real extension."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.ports.browser import EXTENSION_ID
from tests.e2e.console_person import Browser, Person, call, up
from tests.e2e.shown_browser import SIZE, ShownBrowser
from tests.effort import first_of
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import new_client_id
from tests.redteam.visitor import LocalServer
from tests.waiting import until
from tests.wire.scripted_browser import Site, button

URL = "https://shop.example/tea"
SAVE = {"x": 200, "y": 100, "w": 160, "h": 40}
RULES = '[[rules]]\ntool = "task_start"\ndecision = "allow"\n'


@pytest.fixture(autouse=True, scope="module")
def rules(rig: Running) -> None:
    """A policy under which agents may start tasks and need approval for everything else."""
    (rig.state / "config.toml").write_text(RULES)


@pytest.fixture
def shown_browser(rig: Running) -> Iterator[ShownBrowser]:
    browser = ShownBrowser(rig, new_client_id())
    browser.sites[URL] = Site([button("7", "Buy tea", bbox=SAVE)], title="Tea by the sea")
    yield browser
    browser.close()
    for task in rig.request("GET", "/api/task/list").json["data"]:  # the caller's next task gets the next browser
        rig.request("POST", f"/api/task/{task['taskId']}/stop")


@pytest.fixture
def visitor(person: Person, shown_browser: ShownBrowser) -> Person:
    person.does("go", "browser")
    person.does("wait", ".plugin.connected")
    return person


def start_browsing(visitor: Person) -> None:
    """An agent has opened a page, indexed it and taken a screenshot."""
    for tool, params in (("task_start", {"url": URL}), ("browser_dom_index", {}), ("browser_screenshot", {})):
        result = call(visitor.rig, tool, **params)
        _, log = result.communicate(timeout=30)
        assert result.returncode == 0, log


@pytest.mark.trial("console", is_long=True)
def test_open_tabs_are_updated_live(visitor: Person, shown_browser: ShownBrowser) -> None:
    tab = {"windowId": 1, "active": False, "pinned": False, "hidden": False}
    shown_browser.tell(
        type="full_state_sync",
        windows=[{"windowId": 1, "focused": True, "type": "normal"}],
        tabs=[
            {**tab, "tabId": 11, "index": 0, "active": True, "url": "https://mail.example/", "title": "Letters"},
            {**tab, "tabId": 12, "index": 1, "groupId": 5, "url": "https://map.example/", "title": "Roads\u202e"},
        ],
        tabGroups=[{"id": 5, "collapsed": False, "color": "blue", "title": "Journey", "windowId": 1}],
        activeWindowId=1,
        activeTabId=11,
    )
    for text, place in (
        ("Chromium 150 · Linux", ".plugin"),
        ("1.2.3", ".plugin"),
        ("Window · 2 tabs", ".window"),
        ("Letters", ".tab.active"),
        ("Journey", ".group"),
        ("Roads\\u{202e}", ".group .tab"),
    ):
        visitor.does("see", text, place)
    changed = {**tab, "tabId": 12, "index": 1, "groupId": 5, "url": "https://map.example/", "title": "Rivers"}
    shown_browser.tell(type="tab_event", eventType="tab_updated", tab=changed)
    visitor.does("see", "Rivers", ".group .tab")
    shown_browser.tell(type="tab_event", eventType="tab_removed", tab={"tabId": 12, "windowId": 1})
    visitor.does("see", "Window · 1 tab", ".window")
    shown_browser.leave()
    visitor.does("see", "stale", ".windows.away")
    visitor.does("see", "Letters", ".windows.away")
    visitor.does("reload")
    visitor.does("see", "Letters", ".windows.away")


@pytest.mark.trial("console", is_long=True)
def test_a_server_that_was_started_again_is_followed_from_its_first_number(
    browser: Browser, project: Path, state: Path
) -> None:
    tab = {"tabId": 1, "windowId": 1, "index": 0, "url": URL}
    with up(project, state) as first:
        person, port = browser.person_at(first), first.port
        person.does("go", "browser")
        second_browser = ShownBrowser(first, "plugin-again")
        for title in ("One", "Two", "Three"):  # each with its own number
            second_browser.tell(type="full_state_sync", windows=[], tabs=[{**tab, "title": title}])
            person.does("see", title, ".tab")
        first.stop()
        second_browser.close()
    person.does("wait", ".connection.offline")
    with up(project, state, port) as second:
        person.does("wait", ".connection.online")
        second_browser = ShownBrowser(second, "plugin-again")
        second_browser.tell(type="full_state_sync", windows=[], tabs=[{**tab, "title": "After"}])
        person.does("see", "After", ".tab")
        second_browser.close()
        person.leaves()


@pytest.mark.trial("console", is_long=True)
def test_a_task_is_seen_with_its_picture_taken_over_handed_back_and_stopped(
    visitor: Person, shown_browser: ShownBrowser
) -> None:
    start_browsing(visitor)
    visitor.does("see", "Tea by the sea", ".tab.owned.shown")
    visitor.does("see", URL, ".sight .facts")
    assert visitor.does("size", ".drawn img") == list(SIZE)
    [left, top, width, height] = visitor.does("within", ".box", ".drawn img")
    for value, expected in ((left, 200 / 800), (top, 100 / 500), (width, 160 / 800), (height, 40 / 500)):
        assert abs(value - expected) < 0.01
    visitor.does("see", "7", ".box")

    visitor.does("press", "Take over")
    visitor.does("see", "You have taken over", ".task-view")
    assert _task(visitor.rig)["status"] == "takeover"
    visitor.does("check", "The agent may keep reading")
    until(lambda: _task(visitor.rig)["reading"] is True)
    reading = call(visitor.rig, "browser_dom_index")
    assert json.loads(reading.communicate(timeout=30)[0])["elements"][0]["clickId"] == "7"
    visitor.does("press", "Hand back")
    visitor.does("press", "Take over")
    visitor.does("see", "You have taken over", ".task-view")
    assert _task(visitor.rig)["reading"] is False
    waiting = call(visitor.rig, "browser_dom_index")
    visitor.does("press", "Hand back")
    output, log = waiting.communicate(timeout=30)
    assert waiting.returncode == 0, log
    assert json.loads(output)["elements"][0] == {"clickId": "7", "tag": "button", "role": "button", "name": "Buy tea"}

    shown_browser.actions.clear()
    visitor.does("press", "Take screenshot")
    until(lambda: [name for name, _ in shown_browser.actions][-2:] == ["browser_dom_index", "browser_screenshot"])
    visitor.does("press", "Stop")
    visitor.does("see", "completed", ".task-view")
    assert _task(visitor.rig)["status"] == "completed"


def test_a_click_is_asked_for_with_a_picture_of_the_page(visitor: Person, shown_browser: ShownBrowser) -> None:
    start_browsing(visitor)
    clicking = call(visitor.rig, "browser_click", clickId="7")
    visitor.does("read", "Click “Buy tea”")
    assert visitor.does("size", ".prompt:not([hidden]) figure img") == list(SIZE)
    visitor.does("press", "Enlarge screenshot")
    visitor.does("wait", "dialog img")
    assert visitor.does("audit") == []
    visitor.does("key", "y", "Escape")
    visitor.does("see", "Click “Buy tea”", ".panel")
    assert shown_browser.params_of("browser_click") == []
    visitor.does("key", "y")
    _, log = clicking.communicate(timeout=30)
    assert clicking.returncode == 0, log
    assert [params["clickId"] for params in shown_browser.params_of("browser_click")] == ["7"]


@pytest.mark.trial("console", is_long=True)
def test_a_click_on_an_invisible_element_needs_its_own_button(visitor: Person, shown_browser: ShownBrowser) -> None:
    shown_browser.outlines = False
    start_browsing(visitor)
    clicking = call(visitor.rig, "browser_click", clickId="7")
    visitor.does("read", "Click “Buy tea”")
    visitor.does("see", "The browser didn't outline it in the screenshot.", ".panel .problem")
    visitor.does("see", "Deny", ".panel .foot .primary")
    visitor.does("key", "y")
    visitor.does("see", "Click “Buy tea”", ".panel")
    assert shown_browser.params_of("browser_click") == []
    visitor.does("press", "Allow once")
    _, log = clicking.communicate(timeout=30)
    assert clicking.returncode == 0, log


@pytest.mark.trial("console", is_long=True)
def test_a_paired_browser_can_be_removed_under_access(visitor: Person, shown_browser: ShownBrowser) -> None:
    visitor.does("go", "settings/access")
    visitor.does("see", shown_browser.client_id, ".browsers")
    visitor.does("pressBeside", shown_browser.client_id, "Revoke")
    visitor.does("see", "It can no longer connect.")
    visitor.does("miss", shown_browser.client_id)
    visitor.does("go", "browser")
    visitor.does("wait", f".plugin.away:has-text('{shown_browser.client_id}')")


@pytest.mark.parametrize(
    ("locale", "scheme", "width"),
    first_of("access", ("en-US", "dark", 360), ("zh-CN", "light", 1280), ("zh-CN", "dark", 760), suite=0),
)
def test_axe_finds_nothing(
    locale: str, scheme: str, width: int, browser: Browser, visitor: Person, shown_browser: ShownBrowser
) -> None:
    start_browsing(visitor)
    other = browser.person_at(visitor.rig, locale=locale, colorScheme=scheme, width=width, height=740)
    other.does("go", "browser")
    other.does("wait", ".box")
    assert other.does("audit") == []
    other.leaves()


@pytest.mark.trial("console", is_long=True)
def test_without_a_browser_the_page_says_how_to_get_one(browser: Browser, new_rig: Running) -> None:
    person = browser.person_at(new_rig)
    person.does("go", "browser")
    person.does("see", "handrail extension launch")
    person.does("press", "Get a code")
    person.does("see", "expires in")
    assert person.does("audit") == []
    person.leaves()


@pytest.mark.trial("console", is_long=True)
def test_the_real_extension_is_paired_with_one_click_and_a_confirmation(browser: Browser, new_rig: Running) -> None:
    person = browser.person_at(new_rig, withExtension=True)
    person.does("go", "browser")
    person.does("press", "Pair this browser")
    assert new_rig.address in person.does("confirmPairing")
    person.does("wait", ".plugin.connected")
    person.does("see", "this one", ".plugin")
    person.does("see", new_rig.address, ".tab")
    [plugin] = new_rig.request("GET", "/api/extension/extension-list").json["data"]
    assert plugin["extensionId"] == EXTENSION_ID
    [paired] = new_rig.request("GET", "/api/extension/tokens").json["data"]
    assert paired["clientId"] == plugin["clientId"]
    person.leaves()


@pytest.mark.trial("browsers", is_long=True)
def test_the_real_extension_shows_who_controls_a_task_and_a_restarted_server_remembers_its_tabs(
    browser: Browser, project: Path, state: Path
) -> None:
    state.mkdir()
    (state / "config.toml").write_text(RULES)
    with LocalServer() as site, up(project, state) as first:
        port = first.port
        person = browser.person_at(first, withExtension=True)
        person.does("go", "browser")
        person.does("press", "Pair this browser")
        person.does("confirmPairing")
        person.does("wait", ".plugin.connected")
        result = call(first, "task_start", url=f"http://127.0.0.1:{site.port}/")
        _, log = result.communicate(timeout=30)
        assert result.returncode == 0, log
        person.does("wait", ".tab.owned")
        person.does("popupSays", "working")
        person.does("press", "Take over")
        person.does("popupSays", "paused, you have taken over")
        first.stop()
    person.does("wait", ".connection.offline")
    with up(project, state, port):
        person.does("wait", ".connection.online")
        person.does("wait", ".plugin.connected")
        person.does("wait", ".tab.owned")
        person.does("popupSays", "paused, you have taken over")
        person.does("press", "Hand back")
        person.does("popupSays", "working")
        person.does("press", "Stop")
        person.does("popupSays", "No agent is working in this browser.")
        person.does("miss", "Tab of the task")
        person.leaves()


def _task(rig: Running) -> Any:
    return rig.request("GET", "/api/task/list?limit=1", headers=rig.server_bearer).json["data"][0]
