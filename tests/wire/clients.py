"""Starts the real program and talks to it as its users do: one interface, one class per face."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack

import httpx2
import jsonschema_rs

from handrail import wiring as app
from tests.credentials import bearer
from tests.waiting import PATIENCE

HANDRAIL = str(Path(sys.executable).parent / "handrail")
FACES = ("stdio", "streamable", "api")
FACES_AND_CLI = (*FACES, "cli")

Json = dict[str, Any]

CODES = [
    "E_DENY_PATH",
    "E_NOT_FOUND",
    "E_IO",
    "E_TOO_LARGE",
    "E_ENCODING",
    "E_PARSE_FAIL",
    "E_LINT_FAIL",
    "E_CONFLICT",
    "E_PREVIEW_FAIL",
    "E_TIMEOUT",
    "E_POLICY_VIOLATION",
    "E_TOOL_DISABLED",
    "E_UNSUPPORTED",
    "E_BAD_ARGS",
    "E_INTERNAL",
]
ERROR_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "code": {"enum": CODES},
        "message": {"type": "string", "minLength": 1},
        "details": {"type": "object"},
        "hint": {"type": "string", "minLength": 1},
        "recoverable": {"type": "boolean"},
    },
    "required": ["code", "message", "recoverable"],
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: a result or the contract's error object."""

    result: Json | None = None
    error: Json | None = None

    @property
    def code(self) -> str | None:
        return None if self.error is None else self.error["code"]


class Refused(Exception):
    """The wire refused the message itself, so no tool was called."""

    def __init__(self, code: int | str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Options(TypedDict, total=False):
    answer: str
    tools: str
    environ: Mapping[str, str]
    hello: Json


class Client:
    """Checks every answer against the contract's schemas before a test sees it."""

    def call(self, tool: str, params: Any) -> Outcome:
        outcome = self.raw_call(tool, json.dumps(params).encode())
        if outcome.error is not None:
            _conforms(ERROR_SCHEMA, outcome.error)
        else:
            _conforms(_response_schema(tool), outcome.result)
        return outcome

    def ok(self, tool: str, /, **params: Any) -> Json:
        """Returns the result of a call that must succeed."""
        outcome = self.call(tool, params)
        assert outcome.result is not None, outcome.error
        return outcome.result

    def error(self, tool: str, /, **params: Any) -> Json:
        """Returns the error of a call that must fail."""
        outcome = self.call(tool, params)
        assert outcome.error is not None, outcome.result
        return outcome.error

    def code(self, tool: str, /, **params: Any) -> str:
        return str(self.error(tool, **params)["code"])

    def write(self, path: str, content: str, **more: Any) -> Json:
        """Makes a dry run and the write that it allows."""
        self.ok("write_to_file", path=path, content=content, dryRun=True, **_without_key(more))
        return self.ok("write_to_file", path=path, content=content, dryRun=False, **more)

    def raw_call(self, tool: str, params: bytes) -> Outcome:
        """Sends `params` byte for byte, whether or not it is JSON."""
        raise NotImplementedError


@cache
def _response_schema(tool: str) -> Json:
    return dict(app.Wiring().describe().find(tool).tool.output_schema or {})


def _without_key(params: Json) -> Json:
    return {name: value for name, value in params.items() if name != "idempotencyKey"}


def _conforms(expected: Json, value: Any) -> None:
    validator = _validator(json.dumps(expected))
    wrong = [error.message for error in validator.iter_errors(value)]
    assert not wrong, (value, wrong)


@cache
def _validator(text: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(text))


class Stdio(Client):
    """`handrail mcp` with raw lines as input, so that a test can send anything."""

    def __init__(self, project: Path, state: Path, **options: Unpack[Options]) -> None:
        self.log = state / "stderr.txt"
        state.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [HANDRAIL, "mcp", *_arguments(project, state, options)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=_environ(options),
            )
        self._last_id = 0
        usual = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
        self.request("initialize", {**usual, **options.get("hello", {})})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: Json) -> None:
        self.send_line(json.dumps(message).encode())

    def receive(self) -> Json:
        """Returns the next answer and skips notifications before it."""
        while "id" not in (message := self.receive_any()):
            pass
        return message

    def receive_any(self) -> Json:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the server has gone: {self.log.read_text()}"
        message: Json = json.loads(line)
        return message

    def request(self, method: str, params: Json) -> Json:
        return self._request(method, json.dumps(params).encode())

    def raw_call(self, tool: str, params: bytes) -> Outcome:
        return _mcp_outcome(self._request("tools/call", _call_params(tool, params)))

    def _request(self, method: str, params: bytes) -> Json:
        self._last_id += 1
        self.send_line(_request_text(self._last_id, method, params))
        answer = self.receive()
        assert answer["id"] in (self._last_id, None), answer
        return _mcp_result(answer)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=PATIENCE) == 0, self.log.read_text()


class Up:
    """`handrail up`, whose address is in `server.json`; `http` has an agent's token."""

    def __init__(self, project: Path, state: Path, **options: Unpack[Options]) -> None:
        arguments = _arguments(project, state, options)
        self.state = state
        self.process = subprocess.Popen(
            [HANDRAIL, "up", *arguments, "--port", "0", "--no-open"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environ(options),
        )
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise AssertionError(f"the server did not start: {self.process.communicate()[1].decode()}")
        data = json.loads((state / "server.json").read_text())
        self.http = httpx2.Client(
            base_url=f"http://{data['host']}:{data['port']}",
            headers=bearer(state),
            timeout=60,
            trust_env=False,
        )

    def close(self) -> None:
        self.http.close()
        self.process.terminate()
        _, output = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, output.decode()

    def kill(self) -> None:
        self.http.close()
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)


class Streamable(Client):
    """MCP over the `/mcp` of a running `handrail up`."""

    def __init__(self, up: Up) -> None:
        self._up = up
        self._last_id = 0
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self._headers |= bearer(up.state, "streamable")
        answer = self._post(
            _request_text(
                0,
                "initialize",
                b'{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}',
            )
        )
        self._headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        self._headers["MCP-Protocol-Version"] = "2025-06-18"
        self._post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def request(self, method: str, params: Json) -> Json:
        return self._request(method, json.dumps(params).encode())

    def raw_call(self, tool: str, params: bytes) -> Outcome:
        return _mcp_outcome(self._request("tools/call", _call_params(tool, params)))

    def _request(self, method: str, params: bytes) -> Json:
        self._last_id += 1
        answer = self._post(_request_text(self._last_id, method, params))
        if answer.headers["Content-Type"].startswith("text/event-stream"):
            events = [line[5:].strip() for line in answer.text.split("\n") if line.startswith("data:")]
            messages = [json.loads(event) for event in events if event]
        else:
            messages = [answer.json()]
        return _mcp_result(next(message for message in messages if "id" in message))

    def _post(self, body: bytes) -> httpx2.Response:
        return self._up.http.post("/mcp", content=body, headers=self._headers)


class Api(Client):
    """`POST /api/tools/<name>` of a running `handrail up`."""

    def __init__(self, up: Up) -> None:
        self._up = up

    def raw_call(self, tool: str, params: bytes) -> Outcome:
        answer = self._up.http.post(f"/api/tools/{tool}", content=params, headers={"Content-Type": "application/json"})
        body = answer.json()
        if body["ok"]:
            assert answer.status_code == 200
            return Outcome(result=body["data"])
        error = body["error"]
        if (tool_error := error["details"].get("toolError")) is None:
            raise Refused(error["code"], error["message"])
        return Outcome(error=tool_error)


class Cli(Client):
    """`handrail call`, with one process per call."""

    def __init__(self, project: Path, state: Path, **options: Unpack[Options]) -> None:
        self._arguments = _arguments(project, state, options)
        self._environ = _environ(options)

    def raw_call(self, tool: str, params: bytes) -> Outcome:
        result = subprocess.run(
            [HANDRAIL, "call", tool, "-", *self._arguments], input=params, capture_output=True, env=self._environ
        )
        if result.returncode == 2:
            raise Refused(2, result.stderr.decode())
        answer = json.loads(result.stdout)
        if result.returncode == 0:
            return Outcome(result=answer)
        assert result.returncode == 1, result.stderr.decode()
        assert {*answer} <= {"ok", "error"}
        return Outcome(error=answer["error"])


def run(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Runs any other command of the program to its end."""
    return subprocess.run(
        [HANDRAIL, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=_environ({}),
        timeout=60,
        **options,
    )


class Start(Protocol):
    """Starts a face with its own options; it ends with the test."""

    def __call__(self, face: str, project: Path, state: Path, **options: Unpack[Options]) -> Client: ...


def _arguments(project: Path, state: Path, options: Options) -> list[str]:
    value = ["--project", str(project), "--state", str(state)]
    if "answer" in options:
        value += ["--answer", options["answer"]]
    if "tools" in options:
        value += ["--tools", options["tools"]]
    return value


def _environ(options: Options) -> dict[str, str]:
    """Ignores the developer's own settings, opens no console for anyone, and lists every tool."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HANDRAIL_", "XDG_STATE"))}
    return {**clean, "HANDRAIL_CALL_PERSON": "false", "HANDRAIL_ALL_TOOLS": "true", **options.get("environ", {})}


def _request_text(id: int, method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}' % (id, method.encode(), params)


def _call_params(tool: str, params: bytes) -> bytes:
    return b'{"name":%s,"arguments":%s}' % (json.dumps(tool).encode(), params)


def _mcp_result(answer: Json) -> Json:
    if "error" in answer:
        raise Refused(answer["error"]["code"], answer["error"]["message"])
    result: Json = answer["result"]
    return result


def _mcp_outcome(result: Json) -> Outcome:
    """Errors are only text; results are text, the same as structure, and pictures or a note."""
    content, *more = result["content"]
    assert content["type"] == "text"
    assert all(part["type"] in ("image", "text") for part in more)
    data = json.loads(content["text"])
    if result.get("isError"):
        assert "structuredContent" not in result
        assert not more
        assert list(data) == ["error"]
        return Outcome(error=data["error"])
    assert result["structuredContent"] == data
    return Outcome(result=data)
