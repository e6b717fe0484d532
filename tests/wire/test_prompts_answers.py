"""Contract 5 §2.2 and the answers of §5 to §8: which answers are valid, and that the first one wins."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.kernel.answer_cases import ACCEPTED, PROMPTS, REFUSED
from tests.wire.prompt_rig import FORM, NAMED, Json, PromptRig, fields_of, response_line

ON_THE_WIRE = [case for case in REFUSED if "\\udc" not in json.dumps(case[2])]


@pytest.mark.parametrize(("prompt", "response"), ACCEPTED)
def test_a_valid_answer_is_written_unchanged(prompts: PromptRig, prompt: Json, response: Json) -> None:
    request_id = prompts.create(prompt)
    assert prompts.answer(request_id, response).json["ok"] is True
    written = prompts.entries(request_id)[1]["response"]
    if "token" in response.get("values", {}):
        response = {**response, "values": {**response["values"], "token": "******"}}
    assert written == response
    assert request_id not in [entry["requestId"] for entry in prompts.list_prompts()]


@pytest.mark.parametrize(
    ("prompt", "response", "field"), [case[1:] for case in ON_THE_WIRE], ids=[case[0] for case in ON_THE_WIRE]
)
def test_an_invalid_answer_names_the_field_and_the_question_stays(
    prompts: PromptRig, prompt: Json, response: Any, field: str
) -> None:
    request_id = prompts.create(prompt)
    before = prompts.log()
    refused = prompts.answer(request_id, response)
    assert (refused.status, refused.code) == (400, "BAD_REQUEST")
    assert fields_of(refused) == [field]
    assert prompts.log() == before
    assert request_id in [entry["requestId"] for entry in prompts.list_prompts()]


@pytest.mark.parametrize("prompt", PROMPTS, ids=[str(prompt["kind"]) for prompt in PROMPTS])
def test_a_question_that_must_be_answered_cannot_be_canceled(prompts: PromptRig, prompt: Json) -> None:
    request_id = prompts.create({**prompt, "allowCancel": False})
    refused = prompts.answer(request_id, {"status": "canceled"})
    assert (refused.status, fields_of(refused)) == (400, ["status"])
    by_command = prompts.command("answer", request_id, "--cancel")
    assert by_command.returncode == 1
    assert "status" in by_command.stderr
    assert len(prompts.entries(request_id)) == 1
    assert prompts.answer(request_id, {"status": "timeout"}).status == 200


@pytest.mark.parametrize("status", ["canceled", "timeout"])
def test_values_typed_before_a_no_are_not_stored(prompts: PromptRig, status: str) -> None:
    request_id = prompts.create()
    assert prompts.answer(request_id, {**NAMED, "status": status}).status == 200
    assert prompts.entries(request_id)[1]["response"] == {"status": status}


def test_the_first_answer_wins_wherever_it_is_given(prompts: PromptRig) -> None:
    def by_page(request_id: str) -> bool:
        answer = prompts.answer(request_id, NAMED)
        assert answer.status == 200 or (answer.status, answer.code) == (409, "CONFLICT"), answer
        return answer.status == 200

    def by_command(request_id: str) -> bool:
        result = prompts.command("answer", request_id, "--ok", "--value", "name=Ada")
        assert result.returncode in (0, 1)
        assert bool(result.stderr) is (result.returncode == 1)
        return result.returncode == 0

    def by_log(request_id: str) -> bool:
        prompts.append(response_line(request_id, NAMED))
        return True

    for first in (by_page, by_command, by_log):
        request_id = prompts.create()
        assert first(request_id)
        before = prompts.log()
        assert not by_page(request_id)
        assert not by_command(request_id)
        assert prompts.log() == before


def test_only_one_of_many_simultaneous_answers_is_accepted(prompts: PromptRig) -> None:
    request_id = prompts.create()
    assert prompts.console

    def give(number: int) -> int:
        return prompts.answer(request_id, {"status": "ok", "values": {"name": str(number)}}).status

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(give, range(16)))
    assert sorted(statuses) == [200] + [409] * 15
    _, response = prompts.entries(request_id)
    assert response["response"]["values"]["name"] == str(statuses.index(200))


def test_an_answer_to_nothing_is_not_found(prompts: PromptRig) -> None:
    before = prompts.log()
    refused = prompts.answer("nobody-asked", NAMED)
    assert (refused.status, refused.code) == (404, "NOT_FOUND")
    by_command = prompts.command("answer", "nobody-asked", "--ok")
    assert by_command.returncode == 1
    assert "nobody-asked" in by_command.stderr
    assert prompts.log() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "response"),
        ({"response": "ok"}, "response"),
        ({"response": {}}, "status"),
        ({"response": NAMED, "runId": 5}, "runId"),
        ({"response": NAMED, "requestId": "x"}, "requestId"),
    ],
)
def test_a_payload_without_a_status_is_refused(prompts: PromptRig, body: Json, field: str) -> None:
    request_id = prompts.create()
    path = f"/api/prompts/{request_id}/response"
    refused = prompts.server.request("POST", path, headers=prompts.console, json=body)
    assert (refused.status, refused.code, list(fields_of(refused))) == (400, "BAD_REQUEST", [field])


def test_the_run_id_is_in_request_and_response(prompts: PromptRig) -> None:
    request_id = prompts.create(FORM, runId="run-3")
    path = f"/api/prompts/{request_id}/response"
    body = {"runId": "run-3", "response": NAMED}
    assert prompts.server.request("POST", path, headers=prompts.console, json=body).status == 200
    assert [entry["runId"] for entry in prompts.entries(request_id)] == ["run-3", "run-3"]


OPTIONS = [{"value": "a"}, {"value": "b"}, {"value": "c"}]
TASK = {"draftId": "d", "title": "t", "details": "", "priority": "low", "status": "todo", "tags": []}
BY_COMMAND: dict[str, tuple[Json, list[str], Json]] = {
    "a form": (FORM, ["--ok", "--value", "name=Ada"], NAMED),
    "one choice": ({"kind": "choice", "options": OPTIONS}, ["--ok", "--choose", "b"], {"selection": "b"}),
    "some choices": (
        {"kind": "choice", "options": OPTIONS, "multiple": True},
        ["--ok", "--choose", "a", "--choose", "c"],
        {"selection": ["a", "c"]},
    ),
    "tasks as they are": ({"kind": "task_confirm", "tasks": [TASK]}, ["--ok", "--remark", "go"], {"tasks": [TASK]}),
    "a yes for this once": ({"kind": "file_change_confirm"}, ["--ok", "--remark", "go"], {"remark": "go"}),
    "a no with a word": ({"kind": "file_change_confirm"}, ["--cancel", "--remark", "no"], {"remark": "no"}),
    "a result": ({"kind": "result"}, ["--ok"], {"status": "ok"}),
}


@pytest.mark.parametrize("name", BY_COMMAND)
def test_every_kind_is_answered_on_the_command_line(prompts: PromptRig, name: str) -> None:
    prompt, words, expected = BY_COMMAND[name]
    request_id = prompts.create(prompt)
    result = prompts.command("answer", request_id, *words)
    assert result.returncode == 0, result.stderr
    response = prompts.entries(request_id)[1]["response"]
    assert response["status"] == ("canceled" if "--cancel" in words else "ok")
    assert {member: response[member] for member in expected} == expected


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--ok", "--value", "nobody=Ada"], 1, "values.nobody"),
        (["--ok", "--value", "name"], 2, "KEY=VALUE"),
        (["--ok", "--remark", "x", "--value", "name=Ada"], 1, "remark"),
        (["--ok", "--for", "task", "--value", "name=Ada"], 2, "only for handrail's own approvals"),
        ([], 2, "--ok or --cancel"),
    ],
)
def test_an_invalid_command_names_the_problem(prompts: PromptRig, words: list[str], code: int, message: str) -> None:
    request_id = prompts.create()
    result = prompts.command("answer", request_id, *words)
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr
    assert len(prompts.entries(request_id)) == 1
