import json
import socket

import pytest

from tests.faces.http.running import Running


def test_a_result_comes_in_the_envelope(server: Running) -> None:
    answer = server.call("echo", {"value": {"ä": [1, None, "\u2028"]}})
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["ok"] is True
    assert answer.json["data"]["value"] == {"ä": [1, None, "\u2028"]}


def test_task_trace_and_caller_reach_the_call(server: Running) -> None:
    answer = server.call("echo", x_task_id="task-7", x_trace_id="trace-7", user_agent="probe/1.2 (x)")
    assert answer.json["data"] == {
        "value": None,
        "task": "task-7",
        "traceId": "trace-7",
        "caller": {"face": "http", "name": "tests", "peer": "127.0.0.1"},
    }
    assert answer.headers["x-trace-id"] == "trace-7"


@pytest.mark.parametrize(
    ("condition", "status", "code", "tool_code"),
    [
        ("InvalidParams", 400, "BAD_REQUEST", "E_BAD_ARGS"),
        ("TooLarge", 400, "BAD_REQUEST", "E_TOO_LARGE"),
        ("BadEncoding", 400, "BAD_REQUEST", "E_ENCODING"),
        ("Unsupported", 400, "BAD_REQUEST", "E_UNSUPPORTED"),
        ("OutsideRoot", 403, "FORBIDDEN", "E_DENY_PATH"),
        ("Declined", 403, "FORBIDDEN", "E_POLICY_VIOLATION"),
        ("Disabled", 403, "FORBIDDEN", "E_TOOL_DISABLED"),
        ("NotFound", 404, "NOT_FOUND", "E_NOT_FOUND"),
        ("Conflict", 409, "CONFLICT", "E_CONFLICT"),
        ("Internal", 500, "INTERNAL", "E_INTERNAL"),
        ("InputOutput", 500, "INTERNAL", "E_IO"),
        ("Timeout", 503, "UNAVAILABLE", "E_TIMEOUT"),
        ("Aborted", 503, "UNAVAILABLE", "E_TIMEOUT"),
    ],
)
def test_a_failure_is_spelled_on_this_wire_and_in_the_tools_own_words(
    condition: str, status: int, code: str, tool_code: str, server: Running
) -> None:
    answer = server.call("fail", {"condition": condition})
    error = answer.json["error"]
    assert (answer.status, answer.json["ok"], error["code"], error["message"]) == (status, False, code, "It failed.")
    assert isinstance(error["details"]["retryable"], bool)
    tool_error = error["details"]["toolError"]
    assert tool_error["code"] == tool_code
    assert tool_error["details"] == {"path": "a.txt"}
    assert tool_error["hint"] == "Try again."


def test_wrong_parameters_name_their_fields(server: Running) -> None:
    answer = server.call("fail", {"condition": 7})
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    details = answer.json["error"]["details"]
    assert details["fieldErrors"][0]["field"] == "condition"
    assert details["toolError"]["code"] == "E_BAD_ARGS"


def test_an_unknown_field_is_refused(server: Running) -> None:
    assert server.call("echo", {"valeu": 1}).code == "BAD_REQUEST"


def test_an_unknown_tool_is_not_found_and_its_neighbour_named(server: Running) -> None:
    answer = server.call("ecko")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert "echo" in answer.json["error"]["message"]
    assert server.call("echo%0a").status == 404
    assert server.call("..%2f..%2fecho").status == 404


def test_a_call_that_is_not_allowed_is_forbidden(server: Running) -> None:
    answer = server.call("press")
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert answer.json["error"]["details"]["toolError"]["code"] == "E_POLICY_VIOLATION"


def test_a_fault_in_a_tool_is_internal_and_shows_no_stack(server: Running) -> None:
    for tool in ("crash", "unspeakable"):
        answer = server.call(tool, x_trace_id="t")
        assert (answer.status, answer.code) == (500, "INTERNAL")
        assert answer.headers["x-trace-id"] == "t"
        assert b"Traceback" not in answer.body
        assert b".py" not in answer.body
    assert server.call("echo").status == 200


BAD_BODIES = {
    "empty": b"",
    "no JSON": b"{",
    "two values": b"{} {}",
    "not an object": b"[]",
    "null": b"null",
    "NaN": b'{"value": NaN}',
    "a duplicate key": b'{"value": 1, "value": 2}',
    "a lone surrogate": b'{"value": "\\ud800"}',
    "beyond 2^53": b'{"value": 9007199254740993}',
    "bad UTF-8": b'{"value": "\xff"}',
    "overlong UTF-8": b'{"value": "\xc0\x80"}',
    "100,000 deep": b'{"value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 deep and torn": b'{"value":' * 100_000,
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_body_without_valid_parameters_is_a_bad_request_and_the_server_keeps_running(
    name: str, server: Running
) -> None:
    answer = server.request("POST", "/api/tools/echo", content=BAD_BODIES[name])
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert answer.json["error"]["details"]["toolError"]["code"] == "E_BAD_ARGS"
    assert server.call("echo").status == 200


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "", "3600001", "1e3", "٣", "9" * 5000])
def test_a_timeout_that_makes_no_sense_is_a_bad_request(value: str, server: Running) -> None:
    request = f"POST /api/tools/echo HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: 2\r\n"
    head = f"{request}Authorization: Bearer {server.token}\r\nX-Timeout-Ms: {value}\r\n\r\n"
    answer = server.raw(head.encode() + b"{}")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("value", ["", "x" * 129, "a b"])
def test_a_task_id_that_is_not_fit_for_records_is_a_bad_request(value: str, server: Running) -> None:
    assert server.call("echo", x_task_id=value).code == "BAD_REQUEST"


def test_the_deadline_ends_a_call(server: Running) -> None:
    answer = server.call("wait", x_timeout_ms="50")
    assert (answer.status, answer.code) == (503, "UNAVAILABLE")
    assert answer.json["error"]["details"]["retryable"] is True
    assert [server.line(), server.line()] == ["started", "cancelled"]


def test_only_post_calls(server: Running) -> None:
    answer = server.request("GET", "/api/tools/echo")
    assert (answer.status, answer.code) == (405, "BAD_REQUEST")


def test_the_list_has_every_tool_as_the_command_line_shows_it(server: Running) -> None:
    answer = server.request("GET", "/api/tools")
    tools = answer.json["data"]["tools"]
    assert [tool["name"] for tool in tools] == ["echo", "fail", "crash", "unspeakable", "wait", "press"]
    assert tools[1] == {
        "name": "fail",
        "title": "Fail",
        "description": "Fails with the requested error.",
        "surface": "fixture",
        "effect": "READ",
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"condition": {"type": "string"}},
            "required": ["condition"],
        },
        "outputSchema": None,
        "deadlineMs": 30000,
        "idempotent": False,
    }


def start_waiting(server: Running) -> socket.socket:
    """Starts a call that does not end until it is cancelled, and returns its client."""
    connection = server.connect()
    head = f"POST /api/tools/wait HTTP/1.1\r\nHost: localhost:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
    connection.sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
    assert server.line() == "started"
    return connection


def test_a_client_that_disconnects_cancels_its_call(server: Running) -> None:
    start_waiting(server).close()
    assert server.line() == "cancelled"
    assert server.call("echo").status == 200


def test_a_client_that_disconnects_cancels_no_other_call(server: Running) -> None:
    first, second = start_waiting(server), start_waiting(server)
    first.close()
    assert server.line() == "cancelled"
    second.setblocking(False)
    with pytest.raises(BlockingIOError):
        second.recv(1)
    second.close()
    assert server.line() == "cancelled"


def test_a_client_that_disconnects_while_sending_its_body_starts_nothing(server: Running) -> None:
    with server.connect() as connection:
        head = f"POST /api/tools/wait HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: 9\r\n"
        connection.sendall(f"{head}Authorization: Bearer {server.token}\r\n\r\n{{}}".encode())
    start_waiting(server).close()  # the next line belongs to this call, not to the torn one
    assert server.line() == "cancelled"


def test_a_stopped_call_is_in_the_audit(server: Running) -> None:
    start_waiting(server).close()
    assert server.line() == "cancelled"
    server.call("echo", x_trace_id="after-the-stop")
    lines = (server.state / "audit" / "log.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    stopped = [record for record in records if record["tool"] == "wait" and record.get("ok") is False]
    assert stopped[-1]["error"]["condition"] == "Aborted"
    assert records[-1]["traceId"] == "after-the-stop"
