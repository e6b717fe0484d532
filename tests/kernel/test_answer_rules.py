"""Every constraint of contract 5 on answers: strict when one is written, never a yes by mistake when one is read."""

from typing import Any

import msgspec
import pytest

from handrail.kernel.prompts.answer_rules import check_response, mask, read_response, unmask
from handrail.kernel.prompts.rules import check_prompt
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import MASK
from tests.kernel.answer_cases import ACCEPTED, CHANGE, FORM, ONE, PROMPTS, REFUSED, SOME, TASKS, ok


def wire(response: PromptResponse) -> Any:
    return msgspec.json.decode(msgspec.json.encode(response))


@pytest.mark.parametrize(("prompt", "response"), ACCEPTED)
def test_a_good_answer_passes_unchanged_written_or_read(prompt: dict[str, Any], response: dict[str, Any]) -> None:
    checked = check_prompt(prompt)
    assert wire(check_response(checked, response)) == response
    assert wire(read_response(checked, response)) == response
    assert wire(read_response(None, response)) == response
    assert wire(check_response(checked, check_response(checked, response))) == response


@pytest.mark.parametrize(
    ("prompt", "response", "field"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_bad_answer_is_refused_and_its_field_named(prompt: dict[str, Any], response: Any, field: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_response(check_prompt(prompt), response)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == [field]


APP_CALL = {"kind": "file_change_confirm", "consent": {"app": "com.example.mail", "appName": "Mail", "tool": "send"}}


@pytest.mark.parametrize("reach", [{}, {"covers": "tool"}, {"covers": "app"}])
def test_a_yes_for_good_to_an_apps_tool_says_what_it_covers(reach: dict[str, str]) -> None:
    response = ok(scope="rule", remark="fine", **reach)
    assert wire(check_response(check_prompt(APP_CALL), response)) == response
    assert wire(read_response(check_prompt(APP_CALL), response)) == response


@pytest.mark.parametrize("response", [ok(scope="rule", covers="all"), ok(scope="once", covers="app"), ok(covers="app")])
def test_what_it_covers_is_said_with_a_yes_for_good_alone(response: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_response(check_prompt(APP_CALL), response)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == ["covers"]
    assert read_response(check_prompt(APP_CALL), response).covers is msgspec.UNSET


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


def test_irrelevant_members_of_an_answer_in_the_log_are_ignored() -> None:
    change, form = check_prompt(CHANGE), check_prompt(FORM)
    assert wire(read_response(change, ok(scope="forever", remark=5, values=1, by="x"))) == ok()
    assert wire(read_response(change, ok(scope="once", covers="app"))) == ok(scope="once")
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
