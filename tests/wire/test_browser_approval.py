"""What the approval of a browser action shows, and what the answer is bound to."""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.persons import Person, without_presence
from tests.wire.browsing import Agent, Browsing, Outcome
from tests.wire.clients import Json
from tests.wire.scripted_browser import BLANK, PIXEL, Site, button

GOOD, OTHER = "http://good.test/", "http://other.test/"
FREE = {"effect": "UI_CONTROL", "host": "good.test", "decision": "allow"}


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browsing]:
    browsing = Browsing(tmp_path_factory.mktemp("asking"), answer=None)
    yield browsing
    browsing.close()


@pytest.fixture
def place(asking: Browsing) -> Browsing:
    """One tab at a page, opened without a question."""
    asking.reset()
    asking.browser.sites |= {
        GOOD: Site([button("1", "Save"), button("2", "Leave")], leads_to={"2": OTHER}),
        OTHER: Site(text="other words"),
    }
    asking.put_user_rules(FREE)
    asking.agent("api").ok("task_start", url=GOOD)
    return asking


@pytest.fixture
def agent(place: Browsing) -> Agent:
    return place.agent("api")


@pytest.fixture
def person(place: Browsing) -> Person:
    return Person(place.state)


@pytest.fixture
def waiting() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def click(pool: ThreadPoolExecutor, agent: Agent, id: str) -> "Future[Outcome]":
    return pool.submit(agent.call, "browser_click", clickId=id)


def test_the_question_shows_the_element_the_page_and_a_picture(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "1")
    prompt = person.answers("--ok")["prompt"]
    assert prompt["title"] == f'Click button "Save" at {GOOD}'
    (image,) = prompt["images"]
    assert Path(image["path"]).read_bytes() == PIXEL
    assert "outlined" in image["alt"]
    assert clicked.result().error is None
    assert place.browser.params_of("browser_screenshot")[0]["clickId"] == "1"


def test_the_console_can_show_the_picture_while_the_question_waits(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "1")
    execution, name = person.sees()["prompt"]["images"][0]["path"].split("/")[-2:]
    response = place.up.http.get(f"/api/evidence/{execution}/{name}")
    assert (response.status_code, response.headers["content-type"], response.content) == (200, "image/png", PIXEL)
    person.answers("--cancel")
    assert clicked.result().code == "FORBIDDEN"
    records = [json.loads(line) for line in (place.state / "audit/log.jsonl").read_text().splitlines()]
    question, end = [record for record in records if record["executionId"] == execution]
    assert (question["event"], end["event"]) == ("ask", "end")
    assert question["evidence"]["sha256"] == {name: hashlib.sha256(PIXEL).hexdigest()}
    assert place.browser.params_of("browser_click") == []


def relabel(place: Browsing) -> None:
    place.browser.sites[GOOD].elements[0] = button("1", "Delete everything")


def leave(place: Browsing) -> None:
    place.browser.sites[OTHER].elements = [button("1", "Save")]
    place.browser.move(next(iter(place.browser.tabs)), OTHER)


@pytest.mark.parametrize("compares", [True, False])
@pytest.mark.parametrize("change", [relabel, leave])
def test_an_element_that_changed_since_the_question_is_not_used(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor, change: object, compares: bool
) -> None:
    place.put_user_rules()
    place.browser.compares = compares
    clicked = click(waiting, agent, "1")
    person.sees()
    assert callable(change)
    change(place)
    person.answers("--ok")
    again = person.answers("--cancel")["prompt"]
    assert "has changed since you allowed it" in again["message"]
    assert again["changed"]
    assert clicked.result().code == "FORBIDDEN"
    assert place.browser.clicked == []


def test_a_page_that_keeps_changing_is_asked_about_three_times(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "1")
    for name in ("Delete", "Delete more", "Delete everything"):
        person.sees()
        place.browser.sites[GOOD].elements[0] = button("1", name)
        person.answers("--ok")
    assert clicked.result().code == "INVALID_TARGET"
    assert place.browser.clicked == []


@pytest.mark.parametrize("face", ["api", "stdio"])
@pytest.mark.parametrize("compares", [True, False])
def test_a_click_with_approval_takes_one_screenshot_and_sends_nothing_twice(
    place: Browsing, person: Person, waiting: ThreadPoolExecutor, face: str, compares: bool
) -> None:
    agent = place.agent(face)
    if face == "stdio":
        agent.ok("task_start", url=GOOD)
    place.put_user_rules()
    place.browser.compares = compares
    place.browser.actions.clear()
    clicked = click(waiting, agent, "1")
    person.answers("--ok")
    assert clicked.result().error is None
    again = [] if compares else ["browser_dom_index"]
    assert [name for name, _ in place.browser.actions] == ["browser_screenshot", *again, "browser_click"]


def test_a_stale_element_is_refused_before_anybody_is_asked(place: Browsing, agent: Agent, person: Person) -> None:
    place.put_user_rules()
    assert agent.code("browser_click", clickId="99") == "INVALID_TARGET"
    assert person.pending() == []


def test_a_plugin_that_outlines_nothing_still_shows_the_page(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    place.browser.outlines = False
    clicked = click(waiting, agent, "1")
    prompt = person.answers("--ok")["prompt"]
    assert prompt["title"] == f'Click button "Save" at {GOOD}'
    assert "outlined" not in prompt["images"][0]["alt"]
    assert "did not outline it" in prompt["unseen"]
    assert f"You can't see the target: {prompt['unseen']}" in prompt["message"]
    assert clicked.result().error is None


def test_an_allowed_action_that_leads_to_another_host_needs_approval_before_it_is_reported(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    clicked = click(waiting, agent, "2")
    assert person.answers("--ok")["prompt"]["title"] == "Click: it has led to http://other.test"
    assert (clicked.result().result or {})["changes"] == {"navigated": OTHER}


def test_a_no_about_where_it_led_empties_the_tab(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    clicked = click(waiting, agent, "2")
    person.answers("--cancel", "--remark", "not there")
    result = clicked.result()
    assert result.code == "FORBIDDEN"
    assert result.error is not None
    assert result.error["details"]["context"]["remark"] == "not there"
    assert list(place.browser.tabs.values()) == [BLANK]


def test_an_approval_covers_the_target_of_the_action_unless_a_rule_applies(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "2")
    person.answers("--ok")
    assert clicked.result().error is None
    assert person.pending() == []


def test_an_ask_rule_applies_even_after_an_approval(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules({"effect": "READ", "host": "other.test", "decision": "ask"})
    clicked = click(waiting, agent, "2")
    titles = [person.answers("--ok")["prompt"]["title"] for _ in range(2)]
    assert titles == [f'Click button "Leave" at {GOOD}', "Click: it has led to http://other.test"]
    assert clicked.result().error is None


def test_always_allow_covers_only_this_site(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "1")
    person.answers("--ok", "--for", "rule")
    assert clicked.result().error is None
    text = (place.state / "config.toml").read_text()
    assert 'tool = "browser_click"' in text
    assert 'place = "http://good.test"' in text


def test_a_question_about_a_page_without_a_known_address_can_be_allowed_only_once(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    (tab,) = place.browser.tabs
    place.browser.tells_address = False
    place.browser.sync()
    place.put_user_rules()
    without_presence(place.state)
    before = (place.state / "config.toml").read_text()
    for _ in range(2):  # the first approval is not remembered
        acting = waiting.submit(agent.call, "browser_click", clickId="1", tabId=tab)
        prompt = person.answers("--ok")["prompt"]
        assert "no rule can match it" in prompt["message"]
        assert [offer["scope"] for offer in prompt["offers"]] == ["once"]
        assert acting.result().error is None
    assert (place.state / "config.toml").read_text() == before


def test_an_approval_for_the_task_covers_only_this_site(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    place.put_user_rules()
    clicked = click(waiting, agent, "1")
    person.answers("--ok", "--for", "task")
    assert clicked.result().error is None
    assert click(waiting, agent, "1").result().error is None
    leave(place)
    again = click(waiting, agent, "1")
    person.answers("--ok")
    assert again.result().error is None


def test_an_act_that_needs_no_question_takes_no_picture(place: Browsing, agent: Agent) -> None:
    agent.ok("browser_click", clickId="1")
    assert place.browser.params_of("browser_screenshot") == []


def test_reading_needs_approval_if_a_rule_says_so(
    place: Browsing, agent: Agent, person: Person, waiting: ThreadPoolExecutor
) -> None:
    rule: Json = {"tool": "browser_dom_index", "host": "*.test", "decision": "ask"}
    place.put_user_rules(rule)
    read = waiting.submit(agent.call, "browser_dom_index")
    person.answers("--cancel")
    assert read.result().code == "FORBIDDEN"
    assert place.browser.params_of("browser_dom_index") == []
