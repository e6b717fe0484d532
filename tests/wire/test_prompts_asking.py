"""Contract 5 §2.1 and §4 to §8: which prompts are valid, and which field an error names."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

from tests.kernel.prompt_cases import ACCEPTED, EXAMPLES, REFUSED
from tests.persons import Person
from tests.wire.prompt_rig import FORM, Json, PromptRig, fields_of
from tests.wire.stage import Stage

SOURCE = {"source": "tests"}
# A lone surrogate isn't JSON text that every reader sees alike; the decoder refuses it before any rule does.
# Whatever the scope or the consent of an approval is, a program may give none.
RESERVED = ("scope", "consent")
ON_THE_WIRE = [case for case in REFUSED if "\\ud8" not in json.dumps(case[1]) and not case[2].startswith(RESERVED)]


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not {*RESERVED} & {*EXAMPLES[name]}])
def test_the_contracts_examples_reach_the_log_the_pages_and_the_command_line_unchanged(
    prompts: PromptRig, name: str
) -> None:
    prompt = {**SOURCE, **EXAMPLES[name]}
    request_id = prompts.create(prompt)
    assert prompts.entries(request_id)[0]["prompt"] == prompt
    assert [entry["prompt"] for entry in prompts.list_prompts() if entry["requestId"] == request_id] == [prompt]
    result = prompts.command("show", request_id, "--json")
    assert json.loads(result.stdout)["prompt"] == prompt


@pytest.mark.parametrize("name", ACCEPTED)
def test_prompts_at_the_limits_are_accepted(prompts: PromptRig, name: str) -> None:
    request_id = prompts.create({**SOURCE, **ACCEPTED[name]})
    written = prompts.entries(request_id)[0]["prompt"]
    assert {member: written[member] for member in ACCEPTED[name]} == ACCEPTED[name]


@pytest.mark.parametrize(("prompt", "field"), [case[1:] for case in ON_THE_WIRE], ids=[case[0] for case in ON_THE_WIRE])
def test_a_prompt_that_breaks_the_contract_is_a_bad_request_that_names_the_field(
    prompts: PromptRig, prompt: Any, field: str
) -> None:
    before = prompts.log()
    answer = prompts.ask(prompt)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert fields_of(answer) == [field]
    assert prompts.log() == before, "nothing is written"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "prompt"),
        ({"prompt": FORM, "requestId": 7}, "requestId"),
        ({"prompt": FORM, "requestId": "a\nb"}, "requestId"),
        ({"prompt": FORM, "requestId": "x" * 201}, "requestId"),
        ({"prompt": FORM, "runId": {}}, "runId"),
        ({"prompt": FORM, "run_id": "x"}, "run_id"),
    ],
)
def test_an_invalid_payload_names_the_field(prompts: PromptRig, body: Json, field: str) -> None:
    answer = prompts.server.request("POST", "/api/prompts", json=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert fields_of(answer) == [field]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"prompt":', b'{"prompt":{},"prompt":{}}', b"\xff", b'{"prompt":"\\ud800"}']
)
def test_a_body_that_is_not_a_json_object_is_a_bad_request(prompts: PromptRig, body: bytes) -> None:
    answer = prompts.server.request("POST", "/api/prompts", content=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_an_id_is_generated_if_missing(prompts: PromptRig) -> None:
    for value in ({}, {"requestId": ""}):
        assert UUID(prompts.create(**value)).version == 4
    assert prompts.create(requestId="my app/1") == "my app/1"


def test_an_id_is_used_once(prompts: PromptRig) -> None:
    prompts.create(requestId="taken")
    before = prompts.log()
    again = prompts.ask(FORM, requestId="taken")
    assert (again.status, again.code) == (409, "CONFLICT")
    assert prompts.log() == before


def test_the_host_fills_in_a_missing_source(prompts: PromptRig) -> None:
    headers = {**prompts.server.bearer, "user-agent": "my-plugin/2.0 (linux)"}
    for prompt in (FORM, {**FORM, "source": ""}):
        answer = prompts.server.request("POST", "/api/prompts", headers=headers, json={"prompt": prompt})
        data = prompts.entries(answer.json["data"]["requestId"])[0]["prompt"]
        assert data["source"] == "http:my-plugin/2.0"
    named = prompts.create({**FORM, "source": "com.example.plugin:my-app"})
    assert prompts.entries(named)[0]["prompt"]["source"] == "com.example.plugin:my-app"


def test_tasks_are_written_with_their_defaults(prompts: PromptRig) -> None:
    (task,) = prompts.entries(prompts.create({"kind": "task_confirm", "tasks": [{"title": "x", "draftId": ""}]}))[0][
        "prompt"
    ]["tasks"]
    assert UUID(task.pop("draftId")).version == 4
    assert task == {"title": "x", "details": "", "priority": "medium", "status": "todo", "tags": []}
    assert prompts.entries(prompts.create({"kind": "task_confirm"}))[0]["prompt"]["tasks"] == []


def test_a_diff_of_a_megabyte_is_asked_shown_and_answered_completely(prompts: PromptRig) -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1 +1,20000 @@\n" + "".join(f"+{'界' * 15} {number}\n" for number in range(20_000))
    assert len(diff.encode()) > 1_000_000
    request_id = prompts.create({"kind": "file_change_confirm", "path": "x", "diff": diff, **SOURCE})
    assert next(each["prompt"]["diff"] for each in prompts.list_prompts() if each["requestId"] == request_id) == diff
    result = prompts.command("show", request_id)
    assert result.stdout.count("\n  +") == 20_001
    assert prompts.answer(request_id, {"status": "ok"}).status == 200


def test_more_than_the_server_takes_is_refused_before_it_is_read(prompts: PromptRig) -> None:
    before = prompts.log()
    body = b'{"prompt":{"kind":"result","markdown":"' + b"x" * 34_000_000 + b'"}}'
    answer = prompts.server.request("POST", "/api/prompts", content=body)
    assert (answer.status, answer.code) == (413, "BAD_REQUEST")
    assert prompts.log() == before


IN_MCP: dict[str, tuple[str, Json, str]] = {
    "51 fields": ("prompt_key_values", {"fields": [{"key": str(n)} for n in range(51)]}, "fields"),
    "no field": ("prompt_key_values", {"fields": []}, "fields"),
    "a key twice": ("prompt_key_values", {"fields": [{"key": "a"}, {"key": "a"}]}, "fields.1.key"),
    "a blank key": ("prompt_key_values", {"fields": [{"key": " "}]}, "fields.0.key"),
    "a secret with a default": (
        "prompt_key_values",
        {"fields": [{"key": "a", "secret": True, "default": "x"}]},
        "fields.0.default",
    ),
    "61 options": ("prompt_choices", {"options": [{"value": str(n)} for n in range(61)]}, "options"),
    "an option twice": ("prompt_choices", {"options": [{"value": "a"}, {"value": "a"}]}, "options.1.value"),
    "a default that isn't an option": ("prompt_choices", {"options": [{"value": "a"}], "default": "b"}, "default"),
    "a list as the default of one": ("prompt_choices", {"options": [{"value": "a"}], "default": ["a"]}, "default"),
    "no fields": ("prompt_key_values", {}, "fields"),
    "a member that nobody knows": ("prompt_choices", {"options": [{"value": "a"}], "multi": True}, "multi"),
    "a field's member that nobody knows": ("prompt_key_values", {"fields": [{"key": "a", "size": 3}]}, "fields.0.size"),
    "no question": ("ask_followup_question", {}, "question"),
    "a result that isn't text": ("attempt_completion", {"result": 5}, "result"),
}


@pytest.mark.parametrize("name", IN_MCP)
def test_over_mcp_it_is_a_bad_argument_that_names_the_field(stage: Stage, name: str) -> None:
    tool, params, field = IN_MCP[name]
    error = stage.stdio().error(tool, **params)
    assert error["code"] == "E_BAD_ARGS"
    assert [problem["field"] for problem in error["details"]["fieldErrors"]] == [field]


@pytest.mark.parametrize(
    ("tool", "params"),
    [("prompt_key_values", {"fields": [{"key": "a"}]}), ("prompt_choices", {"options": [{"value": "a"}]})],
)
def test_a_tool_of_mcp_passes_its_run_id_on(stage: Stage, tool: str, params: Json) -> None:
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(stage.stdio().ok, tool, **params, run_id="run-7")
        assert Person(stage.state).answers("--cancel")["runId"] == "run-7"
        value = asking.result(30)
    assert (value["status"], value["run_id"]) == ("canceled", "run-7")


def test_the_mcp_tools_follow_the_rulings(stage: Stage) -> None:
    asking = {"_meta": {"handrail/outputSchemas": True}}
    tools = {tool["name"]: tool for tool in stage.stdio().request("tools/list", asking)["tools"]}
    form, choice = tools["prompt_key_values"], tools["prompt_choices"]
    common = {"title", "message", "allow_cancel", "timeout_ms", "run_id"}
    assert set(form["inputSchema"]["properties"]) == common | {"fields"}
    assert form["inputSchema"]["required"] == ["fields"]
    assert set(form["outputSchema"]["properties"]) == {"status", "request_id", "run_id", "values"}
    limits = {"options", "multiple", "default", "min_selections", "max_selections"}
    assert set(choice["inputSchema"]["properties"]) == common | limits
    assert choice["inputSchema"]["required"] == ["options"]
    assert set(choice["outputSchema"]["properties"]) == {"status", "request_id", "run_id", "multiple", "selection"}
    assert set(tools["ask_followup_question"]["inputSchema"]["properties"]) == {"question"}
    assert set(tools["attempt_completion"]["inputSchema"]["properties"]) == {"result"}
