"""The console together with a second window, the terminal, other programs, and a server that is killed."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import Browser, Person, answer_to, ask, call, up
from tests.faces.http.running import Running
from tests.waiting import PATIENCE, until
from tests.wire.clients import run

CHANGE = {"kind": "file_change_confirm", "path": "a.txt"}
ONE = {"kind": "choice", "options": [{"value": "a", "label": "Alpha"}, {"value": "b", "label": "Beta"}]}


def entry(action: str, request_id: str, **more: Any) -> str:
    head = {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": action, "requestId": request_id}
    return json.dumps({**head, **more}) + "\n"


def append(state: Path, text: str) -> None:
    with (state / "ui-prompts.jsonl").open("a") as log:
        log.write(text)


@pytest.mark.trial("console", is_long=True)
def test_an_answer_in_one_window_shows_in_the_other(browser: Browser, person: Person) -> None:
    other = browser.person_at(person.rig, locale="zh-CN", colorScheme="dark")
    ask(person.rig, {**CHANGE, "title": "For both"})
    for each in (person, other):
        each.does("read", "For both")
    person.does("press", "Allow once")
    other.does("see", "已在别处答复")
    other.does("press", "继续")
    other.does("go", "inbox")
    other.does("see", "（控制台）", ".entry.answered:has-text('For both')")
    other.leaves()


@pytest.mark.trial("console", is_long=True)
def test_the_second_of_two_answers_is_refused_with_a_message(browser: Browser, person: Person) -> None:
    other = browser.person_at(person.rig)
    request_id = ask(person.rig, {**CHANGE, "title": "Who is first?"})
    for each in (person, other):
        each.does("read", "Who is first?")
    other.does("hold")
    other.does("press", "Deny")
    person.does("press", "Allow once")
    until(lambda: answer_to(person.rig, request_id) is not None)
    other.does("release")
    other.does("see", "Your answer came too late")
    other.does("see", "allowed", ".settled")
    assert answer_to(person.rig, request_id)["status"] == "ok"
    other.leaves()


@pytest.mark.trial("console", is_long=True)
def test_entries_of_other_programs_appear_and_unreadable_ones_are_shown_raw(person: Person) -> None:
    state = person.rig.state
    ask(person.rig, {**ONE, "title": "Ours"}, requestId="ours")
    person.does("read", "Ours")
    append(state, 'no JSON\n{"type": "ui_prompt"}\n[1, 2]\n{"type": "other", "action": "request"}\n\n\x00\xff\n')
    append(state, entry("request", "broken", prompt={"kind": "kv", "title": "Broken", "fields": "none"}))
    append(state, entry("request", "unknown", prompt={"kind": "spell", "title": "Unknown"}))
    append(state, entry("request", "theirs", prompt={**ONE, "title": "Theirs"}))
    person.does("see", "1 of 4")
    append(state, entry("response", "ours", response={"status": "ok", "selection": "b"}))
    append(state, entry("response", "ours", response={"status": "ok", "selection": "a"}))
    person.does("see", "Answered elsewhere")
    person.does("press", "Continue")
    for title in ("Broken", "Unknown"):
        person.does("read", title)
        person.does("press", "Cancel")
    person.does("read", "Theirs")
    person.does("check", "Alpha")
    person.does("press", "Choose")
    until(lambda: answer_to(person.rig, "theirs") is not None)
    assert answer_to(person.rig, "theirs") == {"status": "ok", "selection": "a"}
    person.does("go", "inbox")
    person.does("see", "another program", ".entry.answered:has-text('Ours')")
    person.does("see", "b", ".entry.answered:has-text('Ours') dd")
    person.does("reload")
    person.does("see", "another program", ".entry.answered:has-text('Ours')")
    for request_id in ("broken", "unknown"):
        assert answer_to(person.rig, request_id) == {"status": "canceled"}


@pytest.mark.trial("console", is_long=True)
def test_an_agent_that_gave_up_is_shown_live(person: Person) -> None:
    agent = call(person.rig, "replace_in_file", path="a.txt", find="one", replace="two")
    person.does("read", "Edit a.txt?")
    agent.kill()
    agent.communicate(timeout=PATIENCE)
    person.does("see", "The agent stopped waiting.")
    person.does("press", "Deny")
    person.does("miss", "Edit a.txt?")


@pytest.mark.trial("console", is_long=True)
def test_after_a_kill_the_console_reconnects_and_shows_the_current_state(
    browser: Browser, project: Path, state: Path
) -> None:
    first = up(project, state)
    port = first.port
    ids = {name: ask(first, {**ONE, "title": name}) for name in ("Answered meanwhile", "Still waiting")}
    person = browser.person_at(first)
    person.does("read", "Answered meanwhile")
    first.stop(signal.SIGKILL)
    person.does("wait", ".connection.offline")
    person.does("check", "Alpha")
    person.does("press", "Choose")
    person.does("see", "handrail isn't responding.")
    result = run("prompts", "answer", ids["Answered meanwhile"], "--ok", "--choose", "b", "--state", state)
    assert result.returncode == 0, result.stderr
    append(state, entry("request", "new", prompt={**ONE, "title": "Asked meanwhile"}))
    with up(project, state, port) as second:
        person.rig = second
        person.does("wait", ".connection.online")
        person.does("see", "Answered elsewhere")
        person.does("see", "in a terminal", ".settled")
        person.does("press", "Continue")
        for title in ("Still waiting", "Asked meanwhile"):
            person.does("read", title)
            person.does("check", "Alpha")
            person.does("press", "Choose")
        until(lambda: answer_to(second, "new") is not None)
        assert answer_to(second, ids["Still waiting"]) == {"status": "ok", "selection": "a"}
        person.leaves()


@pytest.mark.trial("browsers", is_long=True)
def test_the_history_leads_back_to_its_very_first_entry(browser: Browser, project: Path, state: Path) -> None:
    state.mkdir()
    numbers = range(6000)
    append(
        state,
        "".join(
            entry("request", f"r{number}", prompt={"kind": "result", "title": f"Question {number}."})
            + entry("response", f"r{number}", response={"status": "ok"})
            for number in numbers
        ),
    )
    with up(project, state) as rig:
        person = browser.person_at(rig)
        person.does("go", "inbox")
        person.does("see", "Question 5999.")
        person.does("scrollToEnd", ".inbox-page")
        person.does("see", "Question 0.")
        assert person.does("count", ".entry") < 300
        person.leaves()


@pytest.fixture
def own_rig(project: Path, state: Path) -> Any:
    with up(project, state) as rig:
        yield rig


@pytest.mark.trial("console", is_long=True)
def test_a_person_renews_the_token_signs_a_browser_out_and_signs_out(browser: Browser, own_rig: Running) -> None:
    old = own_rig.server_bearer
    own_rig.request("GET", "/api/tools", headers={**old, "user-agent": "claude-code/2.1"})
    person, other = browser.person_at(own_rig), browser.person_at(own_rig)
    person.does("go", "settings/access")
    person.does("see", old["authorization"][-4:], ".card:has-text('server.json') dd")
    person.does("press", "Sign out: ")
    other.does("see", "One-time code")
    person.does("see", "That browser was signed out.")
    assert person.does("count", ".browsers li") == 1
    third = browser.person_at(own_rig)
    person.does("press", "New token")
    person.does("see", "claude-code/2.1", ".question")
    person.does("press", "Renew token")
    person.does("see", "The new token is in")
    assert own_rig.server_bearer != old
    assert own_rig.request("GET", "/api/tools", headers=old).status == 401
    third.does("see", "One-time code")  # every other session ends together with the old token
    person.does("press", "Sign out")
    person.does("see", "One-time code")
    for each in (person, other, third):
        each.leaves()
