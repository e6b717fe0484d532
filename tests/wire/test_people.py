"""Questions to people: contract 5's queue behind the tools of contract 3 §3 and the rulings."""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.effort import first_of
from tests.waiting import until
from tests.wire.clients import Client, Json, Outcome, Start, run


class Desk:
    """A client that asks, and the person who answers on the command line."""

    def __init__(self, client: Client, state: Path, pool: ThreadPoolExecutor) -> None:
        self._client, self._state, self._pool = client, state, pool

    def ask(self, tool: str, **params: object) -> "Future[Outcome]":
        return self._pool.submit(self._client.call, tool, params)

    def waiting(self) -> Json:
        """Returns the prompt once it is in the log."""
        prompt: Json = until(lambda: json.loads(self._run("list", "--json"))["prompts"], "a question")[0]
        return prompt

    def answer(self, *words: str) -> Json:
        prompt = self.waiting()
        self._run("answer", prompt["requestId"], *words)
        return prompt

    def log(self) -> str:
        return (self._state / "ui-prompts.jsonl").read_text()

    def _run(self, *words: str) -> str:
        result = run("prompts", *words, "--state", self._state)
        assert result.returncode == 0, result.stderr
        return result.stdout


@pytest.fixture(params=first_of("faces", ("stdio",), ("streamable",)))
def desk(request: pytest.FixtureRequest, start: Start, own_project: Path, own_state: Path) -> Iterator[Desk]:
    with ThreadPoolExecutor(1) as pool:
        yield Desk(start(request.param, own_project, own_state), own_state, pool)


FIELDS = [{"key": "name", "required": True}, {"key": "password", "secret": True}]


def test_a_form_is_filled_in_and_its_secrets_reach_the_agent_and_no_log(desk: Desk) -> None:
    pending = desk.ask("prompt_key_values", title="Who?", fields=FIELDS)
    prompt = desk.answer("--ok", "--value", "name=Ada", "--value", "password=tr0ub4dor")["prompt"]
    assert prompt["kind"] == "kv"
    assert prompt["source"] == "handrail/prompt_key_values"
    result = pending.result(30).result
    assert result is not None
    assert (result["status"], result["values"]) == ("ok", {"name": "Ada", "password": "tr0ub4dor"})
    assert "tr0ub4dor" not in desk.log()
    assert '"password":"******"' in desk.log()


def test_a_choice_comes_back_as_the_value_or_the_values(desk: Desk) -> None:
    options = [{"value": "a"}, {"value": "b", "label": "B"}]
    pending = desk.ask("prompt_choices", options=options)
    desk.answer("--ok", "--choose", "b")
    one = pending.result(30).result
    assert one is not None
    assert (one["multiple"], one["selection"]) == (False, "b")
    pending = desk.ask("prompt_choices", options=options, multiple=True, min_selections=1)
    desk.answer("--ok", "--choose", "a", "--choose", "b")
    some = pending.result(30).result
    assert some is not None
    assert (some["multiple"], some["selection"]) == (True, ["a", "b"])


def test_a_question_is_answered_or_not(desk: Desk) -> None:
    pending = desk.ask("ask_followup_question", question="Which colour?")
    assert desk.answer("--ok", "--value", "answer=blue")["prompt"]["message"] == "Which colour?"
    assert pending.result(30).result == {"ack": True, "answer": "blue"}
    pending = desk.ask("ask_followup_question", question="And why?")
    desk.answer("--cancel")
    assert pending.result(30).result == {"ack": True}


def test_an_unanswered_question_times_out_and_is_removed(desk: Desk) -> None:
    result = desk.ask("prompt_key_values", fields=FIELDS, timeout_ms=50).result(30).result
    assert result is not None
    assert (result["status"], result["values"]) == ("timeout", {})
    assert json.loads(desk._run("list", "--json"))["prompts"] == []


def test_completion_is_reported_at_once(desk: Desk) -> None:
    assert desk.ask("attempt_completion", result="**Done.**").result(30).result == {"ack": True}
    prompt = desk.waiting()["prompt"]
    assert (prompt["kind"], prompt["markdown"]) == ("result", "**Done.**")


WRONG: list[tuple[str, Json, str]] = [
    ("prompt_key_values", {"fields": []}, "fields"),
    ("prompt_key_values", {"fields": [{"key": str(number)} for number in range(51)]}, "fields"),
    ("prompt_key_values", {"fields": [{"key": "a"}, {"key": "a"}]}, "key"),
    ("prompt_choices", {"options": [{"value": str(number)} for number in range(61)]}, "options"),
    ("prompt_choices", {"options": [{"value": "a"}], "default": "b"}, "default"),
    (
        "prompt_choices",
        {"options": [{"value": "a"}, {"value": "b"}], "multiple": True, "min_selections": 2, "max_selections": 1},
        "inSelections",
    ),
]


def test_a_prompt_that_breaks_the_contract_is_a_bad_argument_that_names_the_field(desk: Desk) -> None:
    for tool, params, field in WRONG:
        error = desk.ask(tool, **params).result(30).error
        assert error is not None, (tool, params)
        assert error["code"] == "E_BAD_ARGS"
        assert field in json.dumps(error["details"]["fieldErrors"])
