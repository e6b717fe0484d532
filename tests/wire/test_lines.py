"""MCP over stdio, line by line: whatever a client sends by mistake or on purpose, the server keeps running."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from tests.waiting import PATIENCE
from tests.wire.clients import Json, Start, Stdio
from tests.wire.stage import SCENE, START, Stage

METHOD = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"path":%s}}}'


def lives(stdio: Stdio) -> bool:
    return bool(stdio.ok("read_file", path="notes.md")["content"] == "# Notes\n")


def error_of(answer: Json) -> Json:
    assert answer["result"]["isError"] is True
    error: Json = json.loads(answer["result"]["content"][0]["text"])["error"]
    return error


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
        pytest.param(b"[" * 100_000, id="100,000 deep"),
        pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, id="100,000 objects deep"),
        pytest.param(b"[]", id="an empty batch"),
        pytest.param(b"42", id="a number"),
        pytest.param(b'{"jsonrpc":"1.0","id":7,"method":"ping"}', id="another version"),
        pytest.param(b'{"jsonrpc":"2.0","id":{},"method":"ping"}', id="an id that is none"),
        pytest.param(b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"ping"}', id="a key twice"),
        pytest.param(b'{"jsonrpc":"2.0","id":7,"method":"no/such/method"}', id="an unknown method"),
    ],
)
def test_a_line_that_is_not_a_message_is_answered_with_an_error(stdio: Stdio, line: bytes) -> None:
    stdio.send_line(line)
    assert "error" in stdio.receive()
    assert lives(stdio)


@pytest.mark.parametrize(
    ("batch", "ids"),
    [
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":"8","method":"tools/list"}]', [7, "8"]),
        (b'[{"jsonrpc":"2.0","method":"notifications/initialized"},{"id":5,"result":{}},3]', [None]),
    ],
)
def test_each_request_of_a_batch_is_refused(stdio: Stdio, batch: bytes, ids: list[int | str | None]) -> None:
    """Protocol 2025-03-26 has batches; their clients wait for an answer with each id."""
    stdio.send_line(batch)
    for id in ids:
        answer = stdio.receive()
        assert answer["id"] == id
        assert "line of its own" in answer["error"]["message"]
    assert lives(stdio)


def test_an_empty_line_is_ignored(stdio: Stdio) -> None:
    stdio.send_line(b"")
    stdio.send_line(b"  \t\r")
    assert lives(stdio)


def test_a_line_of_a_hundred_megabytes_is_refused_in_the_contracts_code(stdio: Stdio) -> None:
    stdio.send_line(METHOD % (b'"' + b"x" * 100_000_000 + b'"'))
    answer = stdio.receive()
    assert answer["id"] == 7
    assert error_of(answer)["code"] == "E_TOO_LARGE"
    assert lives(stdio)


@pytest.mark.parametrize("path", [b'"\\ud800"', b"[" * 100_000 + b"]" * 100_000, b"NaN", b'"a","path":"b"'])
def test_a_tool_call_that_can_not_be_read_is_refused_in_the_contracts_code_to_its_sender(
    stdio: Stdio, path: bytes
) -> None:
    stdio.send_line(METHOD % path)
    answer = stdio.receive()
    assert answer["id"] == 7
    assert error_of(answer)["code"] == "E_BAD_ARGS"
    assert lives(stdio)


def test_a_line_may_come_in_pieces_and_several_at_once(stdio: Stdio) -> None:
    assert stdio.process.stdin is not None
    message = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
    for byte in message % 1001:
        os.write(stdio.process.stdin.fileno(), bytes([byte]))
    assert stdio.receive()["id"] == 1001
    os.write(stdio.process.stdin.fileno(), message % 1002 + message % 1003)
    assert {stdio.receive()["id"], stdio.receive()["id"]} == {1002, 1003}


def test_lines_are_split_only_at_line_feeds(stdio: Stdio, project: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf"
    stdio.write(START, text)
    assert (project / START).read_text() == text
    assert stdio.ok("read_file", path=START)["content"] == text


def test_calls_are_answered_side_by_side(stdio: Stdio) -> None:
    for number in range(2000, 2050):
        stdio.send(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": "search_files", "arguments": {"path": ".", "regex": "beach"}},
            }
        )
    answers = [stdio.receive() for _ in range(50)]
    assert {answer["id"] for answer in answers} == set(range(2000, 2050))
    assert {answer["result"]["structuredContent"]["matches"][0]["path"] for answer in answers} == {START}


def test_a_client_that_closes_its_side_still_gets_its_answers(start: Start, own_project: Path, own_state: Path) -> None:
    stdio = start("stdio", own_project, own_state)
    assert isinstance(stdio, Stdio)
    assert stdio.process.stdin is not None
    stdio.send_line(METHOD % b'"notes.md"')
    stdio.process.stdin.close()
    assert stdio.receive()["result"]["structuredContent"]["content"] == "# Notes\n"
    assert stdio.process.wait(timeout=PATIENCE) == 0


def test_only_messages_go_to_stdout(stage: Stage, stdio: Stdio) -> None:
    """The client parses every line; this sends a call through it that fails noisily."""
    stdio.error("read_file", path="game")
    stdio.error("search_files", path=".", regex="(")
    assert stdio.request("ping", {}) == {}


def test_a_call_that_takes_longer_than_a_second_shows_signs_of_life(stdio: Stdio, project: Path) -> None:
    """The call takes longer because a test process holds the project's lock until the progress message arrives."""
    stdio.ok("write_to_file", path=START, content="x", dryRun=True)
    with (project / ".webgal_agent/lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call = {"name": "write_to_file", "arguments": {"path": START, "content": "x", "dryRun": False}}
        params = {**call, "_meta": {"progressToken": "p1"}}
        stdio.send({"jsonrpc": "2.0", "id": 3000, "method": "tools/call", "params": params})
        messages = [stdio.receive_any()]
        while messages[-1]["params"]["progress"] < 1:
            messages.append(stdio.receive_any())
    assert {message["method"] for message in messages} == {"notifications/progress"}
    assert {message["params"]["progressToken"] for message in messages} == {"p1"}
    assert messages[-1]["params"]["message"]
    answer = stdio.receive()
    assert answer["id"] == 3000
    assert answer["result"]["structuredContent"]["applied"] is True


def test_a_cancelled_call_that_has_not_begun_to_write_never_writes(stdio: Stdio, project: Path) -> None:
    stdio.ok("write_to_file", path=START, content="x", dryRun=True)
    with (project / ".webgal_agent/lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call = {"name": "write_to_file", "arguments": {"path": START, "content": "x", "dryRun": False}}
        params = {**call, "_meta": {"progressToken": "p2"}}
        stdio.send({"jsonrpc": "2.0", "id": 3001, "method": "tools/call", "params": params})
        assert stdio.receive_any()["method"] == "notifications/progress"
        stdio.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3001}})
        assert stdio.request("ping", {}) == {}
    assert stdio.write("notes.md", "after it in the same lane\n")["applied"] is True
    assert (project / START).read_text() == SCENE
    assert [snapshot["path"] for snapshot in stdio.ok("list_snapshots")["snapshots"]] == ["notes.md"]
