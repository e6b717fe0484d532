"""MCP 2026-07-28 on the wire: every request identifies its sender, and a long call is a task."""

import asyncio
import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.stores.local.prompt_store import prompt_store
from tests.effort import first_of
from tests.waiting import PATIENCE, until
from tests.wire.clients import HANDRAIL, Json, Up
from tests.wire.stage import put, trust

VERSION = "2026-07-28"
TASKS: Json = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
FORMS: Json = {"elicitation": {"form": {}}}
QUESTION = {"name": "ask_followup_question", "arguments": {"question": "Which colour?"}}
READ = {"name": "read_file", "arguments": {"path": "notes.md"}}


def meta(capabilities: Json | None = None, **more: Any) -> Json:
    return {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        **more,
    }


class Face(Protocol):
    def answer(self, method: str, params: Json, capabilities: Json | None = None) -> Json:
        """Returns the whole answer with `result` or `error`."""
        ...

    def close(self) -> None: ...


class Lines:
    def __init__(self, project: Path, state: Path) -> None:
        command = [HANDRAIL, "mcp", "--project", str(project), "--state", str(state)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._messages: queue.Queue[Json] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._count = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._messages.put(json.loads(line))

    def send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method: str, params: Json) -> int:
        self._count += 1
        self.send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        return self._count

    def receive(self) -> Json:
        return self._messages.get(timeout=PATIENCE)

    def answer(self, method: str, params: Json, capabilities: Json | None = None) -> Json:
        id = self.begin(method, {"_meta": meta(capabilities), **params})
        while (message := self.receive()).get("id") != id:
            pass
        return message

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=PATIENCE) == 0


class Posts:
    def __init__(self, project: Path, state: Path) -> None:
        self._up = Up(project, state)
        self._count = 0

    def post(self, method: str, params: Json, **headers: str) -> httpx2.Response:
        self._count += 1
        name = params.get("name") or params.get("uri") or params.get("taskId")
        sent = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            **({"Mcp-Name": str(name)} if name else {}),
            **headers,
        }
        body = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        return self._up.http.post("/mcp", json=body, headers=sent, timeout=PATIENCE)

    def answer(self, method: str, params: Json, capabilities: Json | None = None) -> Json:
        response = self.post(method, {"_meta": meta(capabilities), **params})
        text = response.text
        if response.headers["content-type"].startswith("text/event-stream"):
            data = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
            text = data[-1]
        answer: Json = json.loads(text)
        return answer

    def close(self) -> None:
        self._up.close()


@pytest.fixture(params=first_of("faces", ("stdio",), ("streamable",)))
def face(request: pytest.FixtureRequest, own_project: Path, own_state: Path) -> Iterator[Face]:
    face: Face = Lines(own_project, own_state) if request.param == "stdio" else Posts(own_project, own_state)
    yield face
    face.close()


@pytest.fixture
def lines(own_project: Path, own_state: Path) -> Iterator[Lines]:
    face = Lines(own_project, own_state)
    yield face
    face.close()


def result(answer: Json) -> Json:
    assert "result" in answer, answer
    match: Json = answer["result"]
    return match


def task_of(face: Face, capabilities: Json = TASKS, call: Json = QUESTION) -> Json:
    task = result(face.answer("tools/call", call, capabilities))
    assert task["resultType"] == "task", task
    return task


def state_of(face: Face, task: Json, capabilities: Json = TASKS) -> Json:
    return result(face.answer("tasks/get", {"taskId": task["taskId"]}, capabilities))


def pending(state: Path, answer: str | None = None) -> list[str]:
    """Returns the ids of the pending questions; with `answer`, a person answers each with it."""

    async def look() -> list[str]:
        prompts = LogPromptQueue(prompt_store(state))
        try:
            matches = [prompt.request_id for prompt in await prompts.pending()]
            for id in matches if answer is not None else ():
                await prompts.respond(id, PromptResponse(status="ok", values={"answer": answer or ""}))
            return matches
        finally:
            await prompts.close()

    return asyncio.run(look())


def test_discovery_names_versions_and_capabilities(face: Face) -> None:
    match = result(face.answer("server/discover", {}))
    assert match["supportedVersions"] == [VERSION]
    assert match["capabilities"]["tools"] == {"listChanged": True}
    assert match["capabilities"]["prompts"] == {"listChanged": False}
    assert match["capabilities"]["resources"] == {"subscribe": False, "listChanged": False}
    assert match["capabilities"]["extensions"] == {"io.modelcontextprotocol/tasks": {}}
    assert match["instructions"]


def test_a_request_needs_no_initialization_and_its_result_names_the_server(face: Face) -> None:
    match = result(face.answer("tools/call", READ))
    assert match["structuredContent"]["content"] == "# Notes\n"
    assert match["resultType"] == "complete"
    assert match["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "handrail"


def test_lists_say_that_they_may_change_at_any_time(face: Face) -> None:
    match = result(face.answer("tools/list", {}))
    assert (match["resultType"], match["ttlMs"], match["cacheScope"]) == ("complete", 0, "private")


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe", "tasks/list", "tasks/result"])
def test_methods_that_this_version_has_not_are_unknown(face: Face, method: str) -> None:
    assert face.answer(method, {}, TASKS)["error"]["code"] == -32601


def test_a_request_without_capabilities_and_one_of_an_unknown_version_are_refused(lines: Lines) -> None:
    version = "io.modelcontextprotocol/protocolVersion"
    assert lines.answer("tools/list", {"_meta": {version: VERSION}})["error"]["code"] == -32602
    unknown = lines.answer("tools/list", {"_meta": meta() | {version: "2031-01-01"}})["error"]
    assert (unknown["code"], unknown["data"]) == (-32022, {"supported": [VERSION], "requested": "2031-01-01"})


def test_a_header_that_differs_from_the_request_is_refused(own_project: Path, own_state: Path) -> None:
    posts = Posts(own_project, own_state)
    try:
        answer = posts.post("tools/call", {"_meta": meta(), **READ}, **{"Mcp-Name": "write_to_file"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
    finally:
        posts.close()


def test_requests_with_and_without_initialization_share_a_connection(lines: Lines) -> None:
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}}
    assert result(lines.answer("server/discover", {}))["supportedVersions"] == [VERSION]
    id = lines.begin("initialize", opening)
    assert (lines.receive()["id"], id) == (id, id)
    id = lines.begin("tools/call", READ)
    older = result(lines.receive())
    assert older["structuredContent"]["content"] == "# Notes\n"
    assert not {"resultType", "_meta"} & older.keys()
    assert result(lines.answer("tools/call", READ))["resultType"] == "complete"


def test_a_listener_is_notified_of_tool_changes_until_it_cancels(
    lines: Lines, own_project: Path, own_state: Path
) -> None:
    id = lines.begin("subscriptions/listen", {"_meta": meta(), "notifications": {"toolsListChanged": True}})
    first = lines.receive()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"]["notifications"] == {"toolsListChanged": True}
    assert first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id
    put(own_project, ".handrail/policy.json", json.dumps({"mode": "developer"}))
    trust(own_project, own_state)
    changed = lines.receive()
    assert changed["method"] == "notifications/tools/list_changed"
    assert changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id
    lines.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    assert result(lines.answer("tools/call", READ))["resultType"] == "complete"


def test_a_quick_call_does_not_become_a_task(face: Face) -> None:
    assert result(face.answer("tools/call", READ, TASKS))["resultType"] == "complete"


def test_a_call_that_waits_for_a_person_is_a_task_and_its_result_is_polled(face: Face, own_state: Path) -> None:
    task = task_of(face)
    assert task["status"] == "working"
    assert task["ttlMs"] >= 3_600_000
    assert task["pollIntervalMs"] > 0
    assert state_of(face, task)["status"] == "working"
    until(lambda: pending(own_state, "blue"))
    until(lambda: state_of(face, task)["status"] == "completed")
    state = state_of(face, task)
    assert state["resultType"] == "complete"
    assert state["result"]["structuredContent"] == {"ack": True, "answer": "blue"}
    assert state["createdAt"] == task["createdAt"] < state["lastUpdatedAt"]


def test_a_client_with_forms_answers_the_question_of_its_task(face: Face) -> None:
    both = {**TASKS, **FORMS}
    task = task_of(face, both)
    until(lambda: state_of(face, task, both)["status"] == "input_required")
    input_requests = state_of(face, task, both)["inputRequests"]
    ((name, form),) = input_requests.items()
    assert form["method"] == "elicitation/create"
    assert "Which colour?" in form["params"]["message"]
    answers = {"taskId": task["taskId"], "inputResponses": {name: {"action": "accept", "content": {"answer": "red"}}}}
    assert result(face.answer("tasks/update", answers, both))["resultType"] == "complete"
    until(lambda: state_of(face, task, both)["status"] == "completed")
    assert state_of(face, task, both)["result"]["structuredContent"]["answer"] == "red"


def test_a_cancelled_task_takes_its_question_back(face: Face, own_state: Path) -> None:
    task = task_of(face)
    until(lambda: pending(own_state))
    assert result(face.answer("tasks/cancel", {"taskId": task["taskId"]}, TASKS))["resultType"] == "complete"
    until(lambda: state_of(face, task)["status"] == "cancelled")
    until(lambda: not pending(own_state))


def test_a_task_needs_the_extension_and_its_own_id(face: Face) -> None:
    task = task_of(face)
    assert face.answer("tasks/get", {"taskId": task["taskId"]})["error"]["code"] == -32021
    assert face.answer("tasks/get", {"taskId": "made up"}, TASKS)["error"]["code"] == -32602


def test_a_task_belongs_to_its_client(own_project: Path, own_state: Path) -> None:
    mine, other = Lines(own_project, own_state), Lines(own_project, own_state)
    try:
        task = task_of(mine)
        assert other.answer("tasks/get", {"taskId": task["taskId"]}, TASKS)["error"]["code"] == -32602
        assert other.answer("tasks/cancel", {"taskId": task["taskId"]}, TASKS)["error"]["code"] == -32602
        assert state_of(mine, task)["status"] == "working"
    finally:
        mine.close()
        other.close()


def test_a_client_that_leaves_takes_its_task_along(own_project: Path, own_state: Path) -> None:
    """With two proxies the server doesn't end with the first one."""
    mine, other = Lines(own_project, own_state), Lines(own_project, own_state)
    try:
        other.answer("tools/list", {})
        task_of(mine)
        until(lambda: pending(own_state))
        mine.close()
        until(lambda: not pending(own_state))
    finally:
        other.close()
