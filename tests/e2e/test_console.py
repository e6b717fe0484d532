"""Every kind of question, answered in the shipped console on the running program, by mouse and by keyboard."""

import json
from typing import Any

import pytest

from tests.e2e.console_person import Browser, Person, answer_to, ask, call
from tests.effort import first_of
from tests.faces.http.running import Running
from tests.waiting import until
from tests.wire.clients import run

FORM = {
    "kind": "kv",
    "fields": [
        {"key": "name", "label": "Name", "required": True},
        {"key": "about", "label": "About", "multiline": True, "default": "two\nlines"},
    ],
}
ONE = {"kind": "choice", "options": [{"value": "a", "label": "Alpha"}, {"value": "b", "label": "Beta"}]}
SOME = {**ONE, "multiple": True, "minSelections": 2, "options": [*ONE["options"], {"value": "c", "label": "Gamma"}]}
TASKS = {"kind": "task_confirm", "tasks": [{"draftId": "1", "title": "Write"}, {"draftId": "2", "title": "Test"}]}
CHANGE = {"kind": "file_change_confirm", "path": "a.txt", "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"}
RESULT = {"kind": "result", "markdown": "All **done**."}

BY_MOUSE: dict[str, tuple[dict[str, Any], list[tuple[str, ...]], dict[str, Any]]] = {
    "a form": (FORM, [("fill", "Name", "Ada"), ("press", "Send")], {"values": {"name": "Ada", "about": "two\nlines"}}),
    "one of several": (ONE, [("check", "Beta"), ("press", "Choose")], {"selection": "b"}),
    "some of several": (
        SOME, [("check", "Gamma"), ("check", "Alpha"), ("press", "Choose")], {"selection": ["a", "c"]}
    ),
    "tasks": (TASKS, [("press", "Move down: Write"), ("press", "Confirm")], {}),
    "a change": (CHANGE, [("see", "two"), ("press", "Allow once")], {"scope": "once"}),
    "a result": (RESULT, [("see", "done"), ("press", "OK")], {}),
}  # fmt: skip
BY_KEYBOARD: dict[str, tuple[dict[str, Any], list[tuple[str, ...]], dict[str, Any]]] = {
    "a form": (
        FORM,
        [("tabTo", ".panel input"), ("type", "Ada"), ("tabTo", ".panel textarea"), ("key", "Control+Enter")],
        {"values": {"name": "Ada", "about": "two\nlines"}},
    ),
    "one of several": (
        ONE, [("tabTo", ".panel input[type=radio]"), ("key", "Space", "ArrowDown", "y")], {"selection": "b"}
    ),
    "some of several": (
        SOME,
        [("tabTo", ".panel input[type=checkbox]"), ("key", "Space", "ArrowDown", "Space", "y")],
        {"selection": ["a", "b"]},
    ),
    "tasks": (TASKS, [("tabTo", ".panel .grip"), ("key", "Alt+ArrowDown", "Control+Enter")], {}),
    "a change": (CHANGE, [("key", "y")], {"scope": "once"}),
    "a result": (RESULT, [("tabTo", ".panel .primary"), ("key", "Enter")], {}),
}  # fmt: skip


@pytest.mark.parametrize("way", first_of("browsers", ("mouse",), ("keyboard",), suite=0))
@pytest.mark.parametrize("kind", BY_MOUSE)
def test_every_kind_is_answered(kind: str, way: str, person: Person) -> None:
    prompt, steps, expected = (BY_MOUSE if way == "mouse" else BY_KEYBOARD)[kind]
    request_id = ask(person.rig, {**prompt, "title": f"Asked: {kind}, by {way}"})
    person.does("read", f"Asked: {kind}, by {way}")
    if way == "keyboard":
        person.does("key", "q")  # opens the question, wherever the focus was
    for step in steps:
        person.does(*step)
    until(lambda: answer_to(person.rig, request_id) is not None)
    value = answer_to(person.rig, request_id)
    assert value["status"] == "ok"
    assert {name: value[name] for name in expected} == expected
    if kind == "tasks":
        assert [task["title"] for task in value["tasks"]] == ["Test", "Write"]


@pytest.mark.parametrize("way", first_of("browsers", ("keyboard",), ("mouse",)))
def test_a_change_is_denied_with_a_remark(way: str, person: Person) -> None:
    request_id = ask(person.rig, {**CHANGE, "title": f"Denied by {way}"})
    person.does("read", f"Denied by {way}")
    if way == "mouse":
        person.does("fill", "Tell the agent why", "not in this file")
        person.does("press", "Deny")
    else:
        person.does("key", "q")
        person.does("tabTo", ".panel .foot input")
        person.does("type", "not in this file")
        person.does("tabTo", ".panel h2, .panel .primary")
        person.does("key", "n")
    until(lambda: answer_to(person.rig, request_id) is not None)
    assert answer_to(person.rig, request_id) == {"status": "canceled", "remark": "not in this file"}
    person.does("go", "inbox")
    for text in (f"Denied by {way}", "denied", "in the console", "not in this file"):
        person.does("see", text, ".entry.answered")


@pytest.mark.parametrize("way", first_of("browsers", ("keyboard",), ("mouse",)))
def test_a_secret_reaches_the_asker_and_stays_nowhere(way: str, person: Person) -> None:
    secret = f"tr0ub4dor-{way}"
    fields = [{"key": "name", "label": "Name"}, {"key": "pw", "label": "Password", "secret": True}]
    asking = call(person.rig, "prompt_key_values", title=f"Who are you, {way}?", fields=fields)
    person.does("read", f"Who are you, {way}?")
    if way == "mouse":
        person.does("fill", "Name", "Ada")
        person.does("fill", "Password", secret)
        person.does("press", "Send")
    else:
        person.does("key", "q")
        person.does("tabTo", ".panel input[type=text]")
        person.does("type", "Ada")
        person.does("tabTo", ".panel input[type=password]")
        person.does("type", secret)
        person.does("key", "Enter")
    output, _ = asking.communicate(timeout=30)
    assert json.loads(output)["values"] == {"name": "Ada", "pw": secret}
    person.does("miss", "Password")
    assert person.does("holds", secret) is False
    person.does("go", "inbox")
    person.does("see", "pw: ******", ".entry.answered")
    person.does("reload")
    assert person.does("holds", secret) is False
    files = [file for place in (person.rig.state, person.rig.project) for file in place.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"ui-prompts.jsonl", "log.jsonl"}
    assert not [file for file in files if secret.encode() in file.read_bytes()]


def test_keys_typed_right_after_ctrl_k_reach_the_command_palette(person: Person) -> None:
    # Otherwise the page's own shortcuts would take the keys, and some of them answer questions.
    assert person.does("focusAfter", {"key": "k", "ctrlKey": True}) == "combobox"


@pytest.mark.trial("console", is_long=True)
def test_a_fields_error_appears_next_to_the_field(person: Person) -> None:
    ask(person.rig, {**FORM, "title": "Nothing filled in"})
    person.does("read", "Nothing filled in")
    person.does("press", "Send")
    person.does("wait", ".prompt:not([hidden]) input[aria-invalid=true]:focus")
    person.does("see", "Please fill this in.", ".prompt:not([hidden]) .field")
    person.does("key", "Escape")


def test_a_change_made_on_the_try_page_can_be_undone_and_is_still_listed_after_a_reload(
    person: Person, rig: Running
) -> None:
    changing = call(rig, "replace_in_file", path="a.txt", find="one", replace="two")
    person.does("read", "Edit a.txt?")
    person.does("press", "Allow once")
    assert json.loads(changing.communicate(timeout=30)[0]) == {"count": 1}
    assert (rig.project / "a.txt").read_text() == "two\n"
    person.does("go", "history")
    person.does("wait", ".history-task a[aria-current]")
    row = ".step:has-text('Edited a.txt')"
    person.does("see", "+1", row)
    person.does("press", "Edited a.txt")
    person.does("see", "diff.patch", row)
    person.does("press", "Undo")
    person.does("see", "Undone", row)
    assert (rig.project / "a.txt").read_text() == "one\n"
    person.does("reload")
    person.does("see", "Undone", row)


@pytest.mark.trial("console", is_long=True)
def test_the_timeline_quotes_what_an_agent_asked(person: Person, rig: Running) -> None:
    asking = call(rig, "ask_followup_question", question="Which currency?")
    person.does("read", "Which currency?")
    person.does("fill", "Answer", "Euros")
    person.does("press", "Send")
    assert json.loads(asking.communicate(timeout=30)[0])["answer"] == "Euros"
    person.does("go", "history")
    person.does("see", "“Which currency?”", ".step:has-text('Asked you')")


@pytest.mark.trial("console", is_long=True)
def test_always_allow_shows_its_rule_requires_the_person_and_then_applies(browser: Browser, new_rig: Running) -> None:
    person = browser.person_at(new_rig)
    file = new_rig.project / "notes.md"
    file.write_text("one\n")
    changing = call(new_rig, "replace_in_file", path="notes.md", find="one", replace="two")
    person.does("read", "Edit notes.md?")
    person.does("wait", ".seal")
    person.does("check", "Always…")
    person.does("see", "1 file matches today.", ".grant-editor")
    person.does("press", "Always allow")
    person.does("see", "--ok --for rule", ".presence")
    assert file.read_text() == "one\n"
    (new_rig.state / "config.toml").write_text('presence = "never"\n')
    person.does("press", "Always allow")
    assert json.loads(changing.communicate(timeout=30)[0]) == {"count": 1}
    [rule] = json.loads(run("rules", "list", "--json", "--state", new_rig.state).stdout)["rules"]
    assert (rule["tool"], rule["path"], rule["project"]) == ("replace_in_file", "notes.md", str(new_rig.project))
    again = call(new_rig, "replace_in_file", path="notes.md", find="two", replace="three")
    assert json.loads(again.communicate(timeout=30)[0]) == {"count": 1}
    person.leaves()


@pytest.mark.trial("console", is_long=True)
def test_a_prompt_of_another_program_offers_nothing_beyond_once(person: Person) -> None:
    ask(person.rig, {**CHANGE, "title": "From elsewhere"})
    person.does("read", "From elsewhere")
    assert person.does("count", ".prompt:not([hidden]) .acts button") == 3
    assert person.does("count", ".prompt:not([hidden]) .scope, .prompt:not([hidden]) .seal") == 0


@pytest.mark.trial("console", is_long=True)
def test_a_diff_of_a_megabyte_is_read_to_its_end_and_answered(person: Person) -> None:
    lines = [f"+{'x' * 48}{number}" for number in range(20_000)]
    diff = "\n".join(["--- a/big.txt", "+++ b/big.txt", "@@ -0,0 +1,20000 @@", *lines, ""])
    assert len(diff) > 1_000_000
    request_id = ask(person.rig, {**CHANGE, "diff": diff, "title": "A big one"})
    person.does("read", "A big one")
    assert person.does("count", ".prompt:not([hidden]) .diff-line") < 500
    person.does("scrollToEnd", ".prompt:not([hidden]) .scroller-area", "x19999")
    person.does("press", "Allow once")
    until(lambda: answer_to(person.rig, request_id) is not None)


def test_an_address_that_lets_somebody_in_may_lead_to_a_page(browser: Browser, rig: Running) -> None:
    browser.step("led", "open", f"{rig.address}/#code={rig.new_code()}/tools", {"at": ""})
    browser.step("led", "wait", ".rail a.tools[aria-current=page]")
    browser.step("led", "close")
