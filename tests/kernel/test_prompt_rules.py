"""Every constraint of contract 5, §4 to §8, on prompts: what is refused names its field."""

from typing import Any

import msgspec
import pytest

from handrail.kernel.prompts.rules import check_new_prompt, check_prompt
from handrail.ports.errors import InvalidParams
from handrail.ports.prompts import ChoicePrompt, KvField, KvPrompt, Prompt, TaskConfirmPrompt
from tests.kernel.prompt_cases import ACCEPTED, EXAMPLES, REFUSED, choice, kv, several, tasks


def wire(prompt: Prompt) -> Any:
    return msgspec.json.decode(msgspec.json.encode(prompt))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_contract_s_examples_pass_unchanged(name: str) -> None:
    assert wire(check_prompt(EXAMPLES[name])) == EXAMPLES[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_typed_prompt_is_accepted_like_its_json(name: str) -> None:
    typed = check_prompt(EXAMPLES[name])
    assert check_prompt(typed) == typed


@pytest.mark.parametrize(("prompt", "field"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_breaks_the_contract_is_refused_and_named(prompt: Any, field: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_prompt(prompt)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == [field]
    assert field in refusal.value.message


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_limits_themselves_are_allowed(name: str) -> None:
    expected = {"multiple": False} if ACCEPTED[name]["kind"] == "choice" else {}
    assert wire(check_prompt(ACCEPTED[name])) == expected | ACCEPTED[name]


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_prompt({"kind": "kv", "title": 1, "fields": [{"key": ""}, {"key": "a", "secret": 1}]})
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == [
        "fields.0.key",
        "fields.1.secret",
        "title",
    ]


def test_the_message_about_many_mistakes_is_limited() -> None:
    with pytest.raises(InvalidParams) as refusal:
        check_prompt(tasks(*({"x" * 1000: 1, "title": 1} for _ in range(1000))))
    assert len(refusal.value.details["fieldErrors"]) == 20


def test_a_task_gets_its_defaults() -> None:
    checked = check_prompt(tasks({"title": "x", "draftId": ""}, {}))
    assert isinstance(checked, TaskConfirmPrompt)
    first, second = checked.tasks
    assert (first.title, first.details, first.priority, first.status, first.tags) == ("x", "", "medium", "todo", ())
    assert first.draft_id
    assert second.draft_id
    assert first.draft_id != second.draft_id


def test_no_tasks_are_an_empty_list_and_one_choice_is_the_default() -> None:
    assert check_prompt({"kind": "task_confirm"}) == TaskConfirmPrompt(tasks=())
    checked = check_prompt(choice())
    assert isinstance(checked, ChoicePrompt)
    assert checked.multiple is False


def test_a_whole_number_may_have_a_point() -> None:
    checked = check_prompt(several(minSelections=1.0))
    assert isinstance(checked, ChoicePrompt)
    assert repr(checked.min_selections) == "1"


def test_members_that_the_contract_does_not_know_are_left_out() -> None:
    assert wire(check_prompt({"kind": "kv", "fields": [{"key": "a", "size": 3}], "color": "red"})) == kv({"key": "a"})


def test_a_secret_that_a_form_would_bring_along_is_refused_when_written_and_bearable_when_read() -> None:
    prompt = kv({"key": "token", "secret": True, "default": "hunter2"})
    with pytest.raises(InvalidParams) as refusal:
        check_new_prompt(prompt)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == ["fields.0.default"]
    assert "hunter2" not in refusal.value.message
    assert check_prompt(prompt) == KvPrompt(fields=(KvField(key="token", secret=True, default="hunter2"),))
    check_new_prompt(kv({"key": "token", "secret": True, "default": ""}))
