"""Contract 5 §1 and §3: `ui-prompts.jsonl` as another program sees it and writes to it."""

import json
import re
import signal
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE
from tests.wire.clients import Start
from tests.wire.prompt_rig import FORM, NAMED, PromptRig, fields_of, request_line, response_line

MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def own(own_state: Path, own_project: Path) -> Iterator[PromptRig]:
    """A queue for one test, empty at first."""
    rig = PromptRig(own_state, own_project)
    yield rig
    rig.close()


def test_the_log_is_in_the_state_directory_and_only_the_owner_may_read_it(own: PromptRig) -> None:
    assert not own.log_file.exists()
    own.create()
    assert own.log_file == own.state / "ui-prompts.jsonl"
    assert stat.S_IMODE(own.log_file.stat().st_mode) == 0o600
    assert own.server.request("GET", "/api/prompts").json["data"]["path"] == str(own.log_file)


def test_an_interaction_is_two_lines_of_exactly_the_contracts_members(own: PromptRig) -> None:
    own.create({**FORM, "source": "com.example.plugin:my-app"}, requestId="r1", runId="run-1")
    assert own.answer("r1", NAMED).status == 200
    assert own.log().count(b"\n") == 2
    assert own.log().endswith(b"\n")
    request, response = own.entries("r1")
    assert list(request) == ["ts", "type", "action", "requestId", "runId", "prompt"]
    assert (request["type"], request["action"], request["runId"]) == ("ui_prompt", "request", "run-1")
    assert request["prompt"] == {**FORM, "source": "com.example.plugin:my-app"}
    assert list(response) == ["ts", "type", "action", "requestId", "runId", "response"]
    assert (response["type"], response["action"], response["response"]) == ("ui_prompt", "response", NAMED)
    assert all(MILLISECONDS.fullmatch(entry["ts"]) for entry in (request, response))


def test_a_request_without_a_response_is_pending(prompts: PromptRig) -> None:
    prompts.append(request_line("theirs-1"), request_line("theirs-2", runId="run-7"))
    assert prompts.is_pending("theirs-1")
    assert prompts.is_pending("theirs-2")
    prompts.append(response_line("theirs-1", NAMED))
    assert not prompts.is_pending("theirs-1")
    assert prompts.is_pending("theirs-2")
    assert next(entry["runId"] for entry in prompts.list_prompts() if entry["requestId"] == "theirs-2") == "run-7"


def test_another_programs_prompt_is_answered_like_handrails_own(prompts: PromptRig) -> None:
    prompts.append(request_line("from-elsewhere"))
    assert prompts.command("answer", "from-elsewhere", "--ok", "--value", "name=Ada").returncode == 0
    request, response = prompts.entries("from-elsewhere")
    assert (request["action"], response["action"], response["response"]) == ("request", "response", NAMED)


SKIPPED: dict[str, str] = {
    "another type": json.dumps({**request_line("skipped"), "type": "ui_event"}),
    "another action": json.dumps({**request_line("skipped"), "action": "remind"}),
    "no JSON": 'Traceback (most recent call last): "skipped"',
    "half an object": json.dumps(request_line("skipped"))[:-3],
    "a list": '["skipped"]',
    "an empty line": "",
    "NUL": "\0skipped",
    "a depth that breaks a stack": '{"type":"ui_prompt","requestId":"skipped","x":' + "[" * 100_000,
    "an answer to nothing": json.dumps(response_line("skipped", NAMED)),
}


def test_an_unknown_entry_is_kept_but_skipped_and_cannot_be_answered(prompts: PromptRig) -> None:
    before = prompts.log()
    prompts.append(*SKIPPED.values(), request_line("after-the-mess"))
    added = prompts.log().removeprefix(before)
    assert prompts.is_pending("after-the-mess")
    assert "skipped" not in [entry["requestId"] for entry in prompts.list_prompts("pending")]
    refused = prompts.answer("skipped", NAMED)
    assert (refused.status, refused.code) in ((404, "NOT_FOUND"), (409, "CONFLICT"))
    assert prompts.command("answer", "skipped", "--ok").returncode == 1
    assert prompts.answer("after-the-mess", NAMED).status == 200
    assert prompts.log().startswith(before + added), "nothing is rewritten or removed"


OPTIONS = [{"value": "a"}, {"value": "b"}]
UNREADABLE: dict[str, Any] = {
    "an unknown kind": {"kind": "hologram", "title": "Look"},
    "51 fields": {"kind": "kv", "fields": [{"key": str(n)} for n in range(51)]},
    "a key twice": {"kind": "kv", "fields": [{"key": "a"}, {"key": "a"}]},
    "61 options": {"kind": "choice", "options": [{"value": str(n)} for n in range(61)]},
    "a default that isn't an option": {"kind": "choice", "options": OPTIONS, "default": "c"},
    "a minimum above the maximum": {
        "kind": "choice", "multiple": True, "options": OPTIONS, "minSelections": 2, "maxSelections": 1
    },
    "no prompt": None,
    "no way out": {"kind": "hologram", "allowCancel": False},
}  # fmt: skip


@pytest.mark.parametrize("prompt", UNREADABLE.values(), ids=UNREADABLE)
def test_a_request_that_can_not_be_read_is_shown_raw_and_can_only_be_canceled(
    prompts: PromptRig, prompt: Any, request: Any
) -> None:
    name = f"odd {request.node.callspec.id}"
    prompts.append(request_line(name, prompt))
    assert prompts.is_pending(name)
    (entry,) = [each for each in prompts.list_prompts() if each["requestId"] == name]
    assert (entry["prompt"]["kind"], json.loads(entry["prompt"]["raw"])) == ("unreadable", prompt)
    assert entry["prompt"]["reason"]
    refused = prompts.answer(name, {"status": "ok"})
    assert (refused.status, fields_of(refused)) == (400, ["status"])
    assert prompts.answer(name, {"status": "canceled"}).status == 200
    assert [line["action"] for line in prompts.entries(name)] == ["request", "response"]


def test_up_logs_unreadable_entries(own_state: Path, own_project: Path) -> None:
    own_state.mkdir(mode=0o700, exist_ok=True)
    (own_state / "ui-prompts.jsonl").write_text(json.dumps(request_line("old", {"kind": "hologram"})) + "\n")
    rig = PromptRig(own_state, own_project)
    rig.append(request_line("new", {"kind": "kv", "fields": []}), request_line(""), request_line("sound"))
    assert rig.is_pending("sound")
    text = rig.close()
    assert "the request old in the prompt log" in text
    assert "the request new in the prompt log" in text
    assert "no usable requestId" in text
    assert "sound" not in text


def test_two_entries_without_a_line_feed_between_them_are_both_read(prompts: PromptRig) -> None:
    prompts.append(json.dumps(request_line("glued-1")) + json.dumps(request_line("glued-2")))
    for name in ("glued-1", "glued-2"):
        assert prompts.is_pending(name)
        assert prompts.answer(name, NAMED).status == 200


@pytest.mark.parametrize("line", SKIPPED.values(), ids=SKIPPED)
def test_an_invalid_line_does_not_hide_later_ones(prompts: PromptRig, line: str, request: Any) -> None:
    name = f"after {request.node.callspec.id}"
    prompts.append(line, request_line(name))
    assert name in prompts.pending_ids()


def test_a_torn_tail_stays_and_the_next_line_begins_a_new_one(prompts: PromptRig) -> None:
    prompts.append('{"ts":"2026-01-11T00:00', end="")
    torn = prompts.log()
    prompts.create(requestId="after-a-tear")
    assert prompts.log().startswith(torn + b'\n{"ts":')
    assert prompts.is_pending("after-a-tear")
    prompts.append(json.dumps(request_line("lacks-its-end")), end="")
    assert prompts.is_pending("lacks-its-end")
    assert prompts.answer("lacks-its-end", NAMED).status == 200
    assert [entry["action"] for entry in prompts.entries("lacks-its-end")] == ["request", "response"]


@pytest.mark.parametrize(
    "response",
    [
        {"status": "accepted"},
        {"status": "cancelled"},
        {"status": ""},
        {},
        "ok",
        None,
        {"status": "ok", "values": {"name": 5}},
        {"status": "ok"},
    ],
)
def test_any_answer_in_the_log_except_a_valid_ok_counts_as_canceled(
    start: Start, own_project: Path, own_state: Path, response: Any
) -> None:
    outcome = answered_in_the_log(start, own_project, own_state, response)
    assert (outcome["status"], outcome["values"]) == ("canceled", {})


def test_the_first_response_in_the_log_is_used(start: Start, own_project: Path, own_state: Path) -> None:
    outcome = answered_in_the_log(start, own_project, own_state, NAMED, {"status": "canceled"})
    assert (outcome["status"], outcome["values"]) == ("ok", {"name": "Ada"})


def answered_in_the_log(start: Start, project: Path, state: Path, *responses: Any) -> Any:
    """What the agent gets when another program writes these lines at once."""
    client, log = start("stdio", project, state), state / "ui-prompts.jsonl"
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(client.ok, "prompt_key_values", fields=FORM["fields"])
        while not (log.exists() and log.read_bytes().endswith(b"\n")):
            continue
        request_id = json.loads(log.read_bytes().split(b"\n")[0])["requestId"]
        with log.open("ab") as file:
            file.write(b"".join(json.dumps(response_line(request_id, each)).encode() + b"\n" for each in responses))
        return pending.result(30)


def test_pending_prompts_survive_a_restart_of_the_server(own_state: Path, own_project: Path) -> None:
    first = PromptRig(own_state, own_project)
    first.create(requestId="still-there")
    first.server.process.send_signal(signal.SIGKILL)
    first.server.process.communicate(timeout=PATIENCE)
    second = PromptRig(own_state, own_project)
    assert second.is_pending("still-there")
    assert second.list_prompts()[0]["caller"] == "unknown"
    assert second.answer("still-there", NAMED).status == 200
    second.close()
