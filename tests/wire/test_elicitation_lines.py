"""Elicitation on the wire: what an older client is shown, and what a client may answer by mistake."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from tests.wire.clients import Json, Start, Stdio, Up, run

FORMS: Json = {"capabilities": {"elicitation": {}}}
OPTIONS = [{"value": "a", "label": "Apple"}, {"value": "b"}]
CALL = 50  # the id of the call that asks


def asking(
    start: Start, project: Path, state: Path, hello: Json, tool: str = "ask_followup_question", **params: Any
) -> Stdio:
    """A client whose call is about to ask a question."""
    stdio = start("stdio", project, state, hello=hello)
    assert isinstance(stdio, Stdio)
    arguments = params or {"question": "Which colour?"}
    call = {"name": tool, "arguments": arguments}
    stdio.send({"jsonrpc": "2.0", "id": CALL, "method": "tools/call", "params": call})
    return stdio


def waiting(state: Path) -> list[Json]:
    result = run("prompts", "list", "--json", "--state", state)
    data: list[Json] = json.loads(result.stdout)["prompts"]
    return data


def answer_in_the_queue(state: Path, *words: str) -> None:
    match = until(lambda: waiting(state), "a question")
    result = run("prompts", "answer", match[0]["requestId"], *words, "--state", state)
    assert result.returncode == 0, result.stderr


def form(stdio: Stdio) -> Json:
    request = stdio.receive()
    assert request["method"] == "elicitation/create", request
    return request


def result(stdio: Stdio) -> Json:
    """Returns messages about the asking call and skips others."""
    while (message := stdio.receive_any()).get("id") != CALL:
        pass
    structure: Json = message["result"]["structuredContent"]
    return structure


def test_an_older_client_gets_the_older_form(start: Start, own_project: Path, own_state: Path) -> None:
    stdio = asking(start, own_project, own_state, FORMS, "prompt_choices", options=OPTIONS, title="Fruit?")
    request = form(stdio)
    assert request["params"]["message"] == "Fruit?"
    assert request["params"]["requestedSchema"] == {
        "type": "object",
        "properties": {"selection": {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", "b"]}},
        "required": ["selection"],
    }
    stdio.send({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept", "content": {"selection": "b"}}})
    assert result(stdio)["selection"] == "b"


@pytest.mark.parametrize(
    "hello",
    [
        pytest.param({}, id="none declared"),
        pytest.param({"capabilities": {"elicitation": {"url": {}}}, "protocolVersion": "2025-11-25"}, id="no forms"),
        pytest.param({**FORMS, "protocolVersion": "2025-03-26"}, id="before there were forms"),
    ],
)
def test_a_client_without_forms_is_sent_none(start: Start, own_project: Path, own_state: Path, hello: Json) -> None:
    stdio = asking(start, own_project, own_state, hello)
    answer_in_the_queue(own_state, "--ok", "--value", "answer=grey")
    assert stdio.receive_any()["result"]["structuredContent"] == {"ack": True, "answer": "grey"}


def test_a_choice_of_several_waits_for_a_client_that_knows_it(start: Start, own_project: Path, own_state: Path) -> None:
    stdio = asking(start, own_project, own_state, FORMS, "prompt_choices", options=OPTIONS, multiple=True)
    answer_in_the_queue(own_state, "--ok", "--choose", "a")
    assert stdio.receive_any()["result"]["structuredContent"]["selection"] == ["a"]


def test_the_form_is_cancelled_by_its_id_before_the_call_is_answered(
    start: Start, own_project: Path, own_state: Path
) -> None:
    stdio = asking(start, own_project, own_state, FORMS)
    request = form(stdio)
    answer_in_the_queue(own_state, "--ok", "--value", "answer=grey")
    taken_back = stdio.receive_any()
    assert taken_back["method"] == "notifications/cancelled"
    assert taken_back["params"]["requestId"] == request["id"]
    assert result(stdio) == {"ack": True, "answer": "grey"}
    # An answer that crosses with it is late and ignored.
    late = {"action": "accept", "content": {"answer": "blue"}}
    stdio.send({"jsonrpc": "2.0", "id": request["id"], "result": late})
    assert stdio.ok("read_file", path="notes.md")


def test_a_late_answer_fits_no_question_of_the_next_server(start: Start, own_project: Path, own_state: Path) -> None:
    first, second = (form(asking(start, own_project, own_state, FORMS))["id"] for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    "answer",
    [
        b'"result":{"action":"perhaps"}',
        b'"result":{}',
        b'"result":5',
        b'"result":{"action":"accept","content":{"answer":{"a":1}}}',
        b'"result":{"action":"accept","content":{"answer":NaN}}',
        b'"result":{"action":"accept","content":{"answer":"a","answer":"b"}}',
        b'"error":{"code":-1,"message":"no"}',
        b'"error":"no"',
    ],
)
def test_an_answer_that_is_none_fails_no_call_and_leaves_the_question_open(
    start: Start, own_project: Path, own_state: Path, answer: bytes
) -> None:
    stdio = asking(start, own_project, own_state, FORMS)
    request = form(stdio)
    stdio.send_line(b'{"jsonrpc":"2.0","id":%d,%s}' % (request["id"], answer))
    stdio.send({"jsonrpc": "2.0", "id": CALL + 1, "method": "ping"})
    while (message := stdio.receive_any()).get("id") != CALL + 1:
        # Server and client number their requests alike: an error with this number would hit one of the client's.
        assert message["id"] is None
    assert len(waiting(own_state)) == 1
    answer_in_the_queue(own_state, "--ok", "--value", "answer=grey")
    assert result(stdio) == {"ack": True, "answer": "grey"}


def test_a_client_that_disconnects_while_it_is_asked_withdraws_its_question(
    start: Start, own_project: Path, own_state: Path
) -> None:
    stdio = asking(start, own_project, own_state, FORMS)
    form(stdio)
    stdio.close()
    assert waiting(own_state) == []


def test_a_response_stream_that_breaks_off_leaves_the_question_in_the_queue(own_project: Path, own_state: Path) -> None:
    up = Up(own_project, own_state)
    try:
        hello = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "wire", "version": "1"}, **FORMS}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        headers["Mcp-Session-Id"] = up.http.post("/mcp", json=begin, headers=headers).headers["Mcp-Session-Id"]
        up.http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
        call = {"name": "ask_followup_question", "arguments": {"question": "Which colour?"}}
        ask = {"jsonrpc": "2.0", "id": CALL, "method": "tools/call", "params": call}
        with up.http.stream("POST", "/mcp", json=ask, headers=headers) as stream:
            shown = next(line for line in stream.iter_lines() if "elicitation/create" in line)
        assert "Which colour?" in shown
        answer_in_the_queue(own_state, "--ok", "--value", "answer=grey")
        ping = {"jsonrpc": "2.0", "id": CALL + 1, "method": "ping"}
        assert up.http.post("/mcp", json=ping, headers=headers).status_code == 200
    finally:
        up.close()
