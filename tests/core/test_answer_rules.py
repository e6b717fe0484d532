"""Every constraint of contract 5 on answers: strict when one is written, never a yes by mistake when one is read."""

from typing import Any

import msgspec
import pytest

from handrail.contract.errors import InvalidParams
from handrail.contract.prompts import MASK, PromptResponse
from handrail.core.answer_rules import check_response, mask, read_response, unmask
from handrail.core.prompt_rules import check_prompt

FORM = {
    "kind": "kv",
    "fields": [{"key": "name", "required": True}, {"key": "note"}, {"key": "token", "secret": True}],
}
OPTIONS = [{"value": "a"}, {"value": "b"}, {"value": "c"}]
ONE = {"kind": "choice", "options": OPTIONS, "minSelections": 0, "maxSelections": 2}
SOME = {"kind": "choice", "options": OPTIONS, "multiple": True, "minSelections": 1, "maxSelections": 2}
ANY = {"kind": "choice", "options": OPTIONS, "multiple": True}
TASKS = {"kind": "task_confirm", "tasks": []}
CHANGE = {"kind": "file_change_confirm", "path": "a.txt"}
RESULT = {"kind": "result"}
PROMPTS = (FORM, ONE, SOME, TASKS, CHANGE, RESULT)

TASK = {"draftId": "d", "title": "t", "details": "", "priority": "high", "status": "done", "tags": ["x"]}


def wire(response: PromptResponse) -> Any:
    return msgspec.json.decode(msgspec.json.encode(response))


def ok(**more: Any) -> dict[str, Any]:
    return {"status": "ok", **more}


ACCEPTED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (FORM, ok(values={"name": "Alice"})),
    (FORM, ok(values={"name": "Alice", "note": "", "token": "s"})),
    (ONE, ok(selection="a")),
    (SOME, ok(selection=["a"])),
    (SOME, ok(selection=["c", "a"])),
    (ANY, ok(selection=[])),
    (ANY, ok(selection=["a", "b", "c"])),
    (TASKS, ok(tasks=[])),
    (TASKS, ok(tasks=[TASK], remark="按这个列表创建即可")),
    (CHANGE, ok()),
    (CHANGE, ok(remark="继续执行", scope="once")),
    (CHANGE, ok(scope="task")),
    (CHANGE, ok(scope="rule")),
    (CHANGE, {"status": "canceled", "remark": "not like this"}),
    (TASKS, {"status": "canceled", "remark": "too many"}),
    (RESULT, ok()),
    *((prompt, {"status": status}) for prompt in PROMPTS for status in ("canceled", "timeout")),
]


@pytest.mark.parametrize(("prompt", "response"), ACCEPTED)
def test_a_good_answer_passes_unchanged_written_or_read(prompt: dict[str, Any], response: dict[str, Any]) -> None:
    checked = check_prompt(prompt)
    assert wire(check_response(checked, response)) == response
    assert wire(read_response(checked, response)) == response
    assert wire(read_response(None, response)) == response
    assert wire(check_response(checked, check_response(checked, response))) == response


REFUSED: list[tuple[str, dict[str, Any], Any, str]] = [
    ("no object", CHANGE, "ok", "response"),
    ("nothing", CHANGE, None, "response"),
    ("no status", CHANGE, {"remark": "x"}, "status"),
    ("an unknown status", CHANGE, {"status": "cancelled"}, "status"),
    ("an empty status", CHANGE, {"status": ""}, "status"),
    ("a status that is a flag", CHANGE, {"status": True}, "status"),
    ("no values", FORM, ok(), "values"),
    ("values that are a list", FORM, ok(values=["Alice"]), "values"),
    ("a value that is a number", FORM, ok(values={"name": "A", "note": 5}), "values.note"),
    ("a value that is null", FORM, ok(values={"name": "A", "note": None}), "values.note"),
    ("a required field left out", FORM, ok(values={}), "values.name"),
    ("a required field that is a number", FORM, ok(values={"name": 5}), "values.name"),
    ("a required field left empty", FORM, ok(values={"name": ""}), "values.name"),
    ("an unknown key", FORM, ok(values={"name": "A", "nam": "B"}), "values.nam"),
    ("half a character", FORM, ok(values={"name": "A", "note": "\udc00"}), "values.note"),
    ("no selection", ONE, ok(), "selection"),
    ("a selection that is no option", ONE, ok(selection="d"), "selection"),
    ("an empty selection", ONE, ok(selection=""), "selection"),
    ("a list where one is asked for", ONE, ok(selection=["a"]), "selection"),
    ("one where a list is asked for", SOME, ok(selection="a"), "selection"),
    ("no selections", SOME, ok(), "selection"),
    ("too few", SOME, ok(selection=[]), "selection"),
    ("too many", SOME, ok(selection=["a", "b", "c"]), "selection"),
    ("a stranger", SOME, ok(selection=["a", "d"]), "selection.1"),
    ("one twice", SOME, ok(selection=["a", "a"]), "selection.1"),
    ("a selection that is a number", SOME, ok(selection=["a", 1]), "selection.1"),
    ("no tasks", TASKS, ok(), "tasks"),
    ("tasks that are an object", TASKS, ok(tasks={}), "tasks"),
    ("a task with an unknown priority", TASKS, ok(tasks=[{"priority": "p1"}]), "tasks.0.priority"),
    ("a remark that is no text", TASKS, ok(tasks=[], remark=1), "remark"),
    ("a remark that is no text, canceled", CHANGE, {"status": "canceled", "remark": 1}, "remark"),
    ("an unknown scope", CHANGE, ok(scope="always"), "scope"),
    ("a remark where none belongs", FORM, ok(values={"name": "A"}, remark="x"), "remark"),
    ("a scope where none belongs", ONE, ok(selection="a", scope="rule"), "scope"),
    ("another kind's answer", CHANGE, ok(values={}), "values"),
    ("an answer where none is asked for", RESULT, ok(selection="a"), "selection"),
]


@pytest.mark.parametrize(
    ("prompt", "response", "field"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_bad_answer_is_refused_and_its_field_named(prompt: dict[str, Any], response: Any, field: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_response(check_prompt(prompt), response)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == [field]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_what_must_not_be_canceled_can_be_answered_or_time_out(prompt: dict[str, Any]) -> None:
    stubborn = check_prompt({**prompt, "allowCancel": False})
    with pytest.raises(InvalidParams) as refusal:
        check_response(stubborn, {"status": "canceled"})
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == ["status"]
    assert check_response(stubborn, {"status": "timeout"}).status == "timeout"
    assert read_response(stubborn, {"status": "canceled"}).status == "canceled"


def test_a_cancelled_form_keeps_nothing_of_what_was_typed() -> None:
    typed = {"status": "canceled", "values": {"name": "A", "token": "hunter2", "junk": 5}}
    assert wire(check_response(check_prompt(FORM), typed)) == {"status": "canceled"}


def test_a_task_that_the_person_added_gets_an_id_and_defaults() -> None:
    (task,) = check_response(check_prompt(TASKS), ok(tasks=[{"title": "new"}])).tasks or ()
    assert (task.title, task.priority, task.status, bool(task.draft_id)) == ("new", "medium", "todo", True)


@pytest.mark.parametrize(
    "response",
    [
        None,
        "ok",
        [],
        {},
        {"status": "OK"},
        {"status": "yes"},
        {"status": ["ok"]},
        {"status": "cancel"},
        {"status": None},
    ],
)
@pytest.mark.parametrize("prompt", [CHANGE, None])
def test_whatever_is_no_ok_and_no_timeout_in_the_log_counts_as_canceled(
    prompt: dict[str, Any] | None, response: Any
) -> None:
    known = check_prompt(prompt) if prompt else None
    assert wire(read_response(known, response)) == {"status": "canceled"}


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        (FORM, ok()),
        (FORM, ok(values={"name": 5})),
        (FORM, ok(values={})),
        (ONE, ok(selection="d")),
        (SOME, ok(selection=["a", "b", "c"])),
        (TASKS, ok(tasks=5)),
    ],
)
def test_an_ok_in_the_log_that_does_not_fit_its_prompt_counts_as_canceled(
    prompt: dict[str, Any], response: dict[str, Any]
) -> None:
    assert read_response(check_prompt(prompt), response).status == "canceled"


def test_what_is_beside_the_point_in_the_log_does_no_harm() -> None:
    change, form = check_prompt(CHANGE), check_prompt(FORM)
    assert wire(read_response(change, ok(scope="forever", remark=5, values=1, by="x"))) == ok()
    assert wire(read_response(form, ok(values={"name": "A"}, remark="x"))) == ok(values={"name": "A"})
    assert wire(read_response(form, {"status": "timeout", "values": 5})) == {"status": "timeout"}


def test_secrets_are_taken_out_and_put_back() -> None:
    form = check_prompt(FORM)
    given = check_response(form, ok(values={"name": "A", "token": "hunter2"}))
    masked, secrets = mask(form, given)
    assert wire(masked) == ok(values={"name": "A", "token": MASK})
    assert secrets == {"token": "hunter2"}
    assert unmask(masked, secrets) == given
    assert mask(check_prompt(CHANGE), PromptResponse(status="ok")) == (PromptResponse(status="ok"), {})
