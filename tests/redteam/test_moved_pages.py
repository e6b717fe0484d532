"""An approval for one page isn't used for another page that is there later."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest

from tests.persons import Person
from tests.waiting import until
from tests.wire.browsing import Agent, Browsing
from tests.wire.clients import Json
from tests.wire.scripted_browser import Site, button

ONE, OTHER = "http://one.test/", "http://other.test/"
OPEN: Json = {"effect": "UI_CONTROL", "tool": "{task_start,browser_navigate}", "decision": "allow"}
READ = "browser_readability_extract"


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browsing]:
    browsing = Browsing(tmp_path_factory.mktemp("moved"), answer=None)
    yield browsing
    browsing.close()


@pytest.fixture
def place(asking: Browsing) -> Browsing:
    asking.reset()
    asking.browser.sites |= {
        ONE: Site([button("1", "Save")], text="words of one"),
        OTHER: Site([button("1", "Save")], text="words of the other"),
    }
    asking.put_user_rules(OPEN)
    asking.agent("api").ok("task_start", url=ONE)
    return asking


@pytest.fixture
def agent(place: Browsing) -> Agent:
    return place.agent("api")


@pytest.fixture
def person(place: Browsing) -> Person:
    return Person(place.state)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def tab(place: Browsing) -> int:
    return next(iter(place.browser.tabs))


def ask_and_go(place: Browsing, person: Person, tool: str, **params: object) -> None:
    """A call whose caller gives up once a person is asked: the question stays in the queue."""
    address = place.up.http.base_url
    caller = HTTPConnection(address.host, address.port)
    headers = {name: place.up.http.headers[name] for name in ("authorization",)}
    caller.request("POST", f"/api/tools/{tool}", json.dumps(params), {**headers, "content-type": "application/json"})
    person.sees()
    caller.close()


def test_allowing_one_page_to_be_read_does_not_allow_another(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    """The same call, made again once its yes is there, while the tab shows another page."""
    place.put_user_rules(OPEN, {"effect": "READ", "host": "*.test", "decision": "ask"})
    ask_and_go(place, person, READ)
    shown = person.answers("--ok")
    assert "one.test" in str(shown["prompt"])
    place.browser.move(tab(place), OTHER)
    again = pool.submit(agent.call, READ)
    until(lambda: again.done() or person.pending())
    if not again.done():
        assert "other.test" in str(person.answers("--cancel")["prompt"])
    assert again.result().code == "FORBIDDEN", again.result()


def test_a_page_that_moves_to_where_a_critical_rule_asks_needs_presence(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    place.put_user_rules(OPEN, {"effect": "UI_CONTROL", "host": "other.test", "decision": "ask", "critical": True})
    click = pool.submit(agent.call, "browser_click", clickId="1")
    assert not person.sees()["prompt"].get("critical")
    place.browser.move(tab(place), OTHER)
    person.answers("--ok")
    asked_again = person.sees()
    assert asked_again["prompt"].get("critical") is True, asked_again
    assert [offer["scope"] for offer in asked_again["prompt"]["offers"]] == ["once"]
    person.answers("--cancel")
    assert click.result().code == "FORBIDDEN"


def test_a_page_that_moves_to_handrails_own_is_not_asked_about(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    own = str(place.up.http.base_url).rstrip("/") + "/"
    place.browser.sites[own] = Site([button("1", "Save")])
    click = pool.submit(agent.call, "browser_click", clickId="1")
    person.sees()
    place.browser.move(tab(place), own)
    person.answers("--ok")
    until(lambda: click.done() or person.pending())
    if not click.done():
        person.answers("--ok")
    message = click.result()
    assert message.code == "FORBIDDEN", message
    assert person.pending() == []
    assert place.browser.clicked == []


def test_allowing_one_upload_for_the_task_does_not_allow_another_file(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    for name in ("cv.txt", "diary.txt"):
        (place.project / name).write_text(f"{name}\n")
    upload = pool.submit(agent.call, "browser_upload", clickId="1", paths=["cv.txt"])
    question = person.answers("--ok", "--for", "task")["prompt"]
    assert upload.result().error is None
    assert [offer.get("what") for offer in question["offers"]] == [
        None,
        'browser_upload file "cv.txt" at "http://one.test"',
    ]
    assert agent.call("browser_upload", clickId="1", paths=["cv.txt"]).error is None, "that file goes there unasked"
    other = pool.submit(agent.call, "browser_upload", clickId="1", paths=["diary.txt"])
    until(lambda: other.done() or person.pending())
    if not other.done():
        person.answers("--cancel")
    assert other.result().code == "FORBIDDEN", other.result()


def test_an_upload_that_a_rule_asks_about_is_asked_about_once(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    place.put_user_rules(OPEN, {"effect": "UI_CONTROL", "host": "one.test", "decision": "ask"})
    (place.project / "letter.txt").write_text("Dear\n")
    upload = pool.submit(agent.call, "browser_upload", clickId="1", paths=["letter.txt"])
    person.answers("--ok")
    assert upload.result().error is None


def test_a_file_that_changes_after_the_question_is_not_uploaded(
    place: Browsing, agent: Agent, person: Person, pool: ThreadPoolExecutor
) -> None:
    file = place.project / "letter.txt"
    file.write_text("Dear Bob\n")
    upload = pool.submit(agent.call, "browser_upload", clickId="1", paths=["letter.txt"])
    assert '"letter.txt", 9 bytes' in str(person.sees()["prompt"])
    file.write_text("My diary\n")
    person.answers("--ok")
    until(lambda: upload.done() or person.pending())
    assert not upload.done(), upload.result()
    again = str(person.answers("--cancel")["prompt"])
    assert len(set(re.findall("SHA-256 [0-9a-f]+", again))) == 2, "what it was and what it is"
    assert upload.result().code == "FORBIDDEN"
    assert place.browser.params_of("browser_upload") == []
