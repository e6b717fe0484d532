"""Requests made from the program's own schemas, with something wrong in them, over every face.

Each is answered, in the form of its contract; the server lives and its memory stays flat. Questions are answered with
no, so that nothing is written and nothing starts.
"""

import asyncio
import http.client
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from handrail import wiring
from handrail.kernel.task_ids import new_task_id
from handrail.ports.effect import Effect
from tests.e2e.console_person import up
from tests.e2e.mutants import Mutants
from tests.effort import IS_CAMPAIGN, chance, count, tries
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import Browser, browsing
from tests.waiting import PATIENCE, until
from tests.wire.clients import HANDRAIL, Json, Stdio

BURST = 32
LEFT_OUT = {"preview_scene", "browser_action", "execute_command"}
"""These start a browser or a script where nothing is wrong with the call."""
DENY_ALL = {
    "contractVersion": "1.0.0",
    "rules": [{"effect": effect.value, "decision": "deny"} for effect in Effect if effect is not Effect.READ],
}
MOST_GROWTH = 40_000_000
"""Bytes that a server may have more at the end of a long trial than after a third of it."""


class Memory:
    """A process's memory use, after a third of the tries and at the end."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._early: int | None = None

    def look(self, done: int, of: int) -> None:
        if self._early is None and done * 3 >= of:
            self._early = self._held()

    def check(self) -> None:
        growth = self._held() - (self._early or 0)
        assert not IS_CAMPAIGN or self._early is None or growth < MOST_GROWTH, growth

    def _held(self) -> int:
        lines = Path(f"/proc/{self._pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) * 1024


@cache
def tools() -> dict[str, Json]:
    """Returns every tool that answers without a person, with its input schema."""
    every = (one.tool for one in wiring.Wiring().describe())
    wanted = (tool for tool in every if tool.name not in LEFT_OUT and tool.effect is not Effect.ASK)
    return {tool.name: dict(tool.input_schema) for tool in wanted}


def calls(mutants: Mutants, number: int) -> Iterator[tuple[str, bytes]]:
    """Yields tool names with JSON parameters; some of the JSON is invalid."""
    by, names = chance(), list(tools())
    for _ in range(number):
        count()
        name = by.choice(names)
        params = mutants.mutant(mutants.sample(tools()[name]))
        text = json.dumps(params).encode()
        yield name, mutants.damaged(text) if by.random() < 0.1 else text


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("fuzz")
    project = folder / "project"
    (project / ".handrail").mkdir(parents=True)
    (project / ".handrail" / "policy.json").write_text(json.dumps(DENY_ALL))
    (project / "a.txt").write_text("one\n")
    with up(project, folder / "state") as running:
        yield running


@pytest.mark.trial("fuzz")
def test_every_mutant_of_a_call_is_answered_over_stdio(project: Path, state: Path) -> None:
    number = tries(300, 2_000_000)
    client = Stdio(project, state, answer="deny", tools="all")
    memory = Memory(client.process.pid)
    open_ids, strays = set[int](), 0
    for sent, (name, params) in enumerate(calls(Mutants(chance()), number), 1):
        memory.look(sent, number)
        line = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}'
        client.send_line(line % (sent, name.encode(), params))
        open_ids.add(sent)
        while len(open_ids) - strays >= (1 if sent == number else BURST):
            answer = client.receive()
            assert ("result" in answer) != ("error" in answer), answer
            if answer["id"] in open_ids:
                open_ids.remove(answer["id"])
            else:
                assert answer["id"] is None, answer  # the answer to invalid JSON has no id
                strays += 1
    memory.check()
    client.close()


@pytest.mark.trial("fuzz")
def test_every_mutant_of_a_call_is_answered_over_http(server: Running) -> None:
    number = tries(300, 1_500_000)
    memory = Memory(server.process.pid)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    headers = {**server.bearer, "content-type": "application/json"}
    for sent, (name, params) in enumerate(calls(Mutants(chance()), number), 1):
        memory.look(sent, number)
        connection.request("POST", f"/api/tools/{name}", params, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert "E_INTERNAL" not in str(answer), (name, params, answer)
        assert answer["ok"] == (response.status == 200), (name, params, answer)
    memory.check()
    connection.close()


MESSAGES: list[Json] = [
    {"v": 1, "type": "activate_extension", "clientId": "CLIENT", "extensionId": "x", "version": "1"},
    {
        "v": 1,
        "type": "full_state_sync",
        "clientId": "CLIENT",
        "tabs": [{"tabId": 1, "windowId": 1, "url": "http://a/"}],
    },
    {"v": 1, "type": "tab_event", "clientId": "CLIENT", "eventType": "tab_created", "tab": {"tabId": 2, "windowId": 1}},
    {"v": 1, "type": "debugger_event", "clientId": "CLIENT", "tabId": 1, "method": "Page.x", "params": {}},
    {"v": 1, "type": "task_takeover", "clientId": "CLIENT", "taskId": "TASK", "reason": "user_input"},
    {"v": 1, "type": "task_handback", "clientId": "CLIENT", "taskId": "TASK"},
    {"v": 1, "type": "task_stopped", "clientId": "CLIENT", "taskId": "TASK"},
    {
        "v": 1,
        "type": "browser_action_result",
        "clientId": "CLIENT",
        "actionId": "a",
        "taskId": "TASK",
        "status": "success",
    },
    {"v": 1, "type": "confirm_answer", "clientId": "CLIENT", "requestId": "r", "answer": "ok"},
]


@pytest.mark.trial("fuzz")
def test_every_mutant_of_a_plugins_message_is_acknowledged(server: Running) -> None:
    number, mutants, by = tries(200, 1_000_000), Mutants(chance(), deepest=100), chance()

    async def say(browser: Browser, sent: int) -> None:
        count()
        text = json.dumps(by.choice(MESSAGES)).replace("CLIENT", browser.client_id).replace("TASK", new_task_id())
        answer = await browser.say(mutants.mutant(json.loads(text)))
        assert isinstance(answer, dict), answer
        assert answer["ok"] is True or answer["error"]["code"], (sent, answer)

    async def run() -> None:
        memory = Memory(server.process.pid)
        async with browsing(server) as browser:
            for sent in range(number):
                memory.look(sent, number)
                await say(browser, sent)
        memory.check()

    asyncio.run(run())


METHODS = (
    "health",
    "observe",
    "find",
    "click",
    "typeText",
    "hotkey",
    "waitUntil",
    "abort",
    "confirm.issue",
    "confirm.pass",
)
DESKTOP_PARAMS: Json = {
    "meta": {"schemaVersion": 1, "requestId": "r", "workspacePath": "WORKSPACE", "timeoutMs": 1000},
    "selector": {"byRole": "AXButton", "titleContains": "OK", "limit": 3, "near": {"anchor": {"byRole": "AXButton"}}},
    "target": {"elementRef": {"id": "e"}, "selector": {"byPath": [0, 1]}},
    "confirm": {"token": "t", "phrase": "CONFIRM"},
    "text": "x",
    "keys": ["cmd", "v"],
    "condition": {"selectorExists": {"byRole": "AXButton"}},
    "intent": {"method": "desktop.click", "params": {}},
    "executionId": "e",
    "ttlMs": 1000,
}


@pytest.mark.trial("fuzz")
def test_every_mutant_of_a_bridges_request_is_answered(tmp_path: Path) -> None:
    number, mutants, by = tries(200, 500_000), Mutants(chance()), chance()
    path, workspace = tmp_path / "bridge.sock", tmp_path / "workspace"
    workspace.mkdir()
    environ = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    place = ["--socket", path, "--state", tmp_path / "state", "--workspace-root", workspace]
    command = [HANDRAIL, "desktop-host", "--confirm", "token", *map(str, place)]  # so that no call waits for a person
    host = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    try:
        memory = Memory(host.pid)
        connection = until(lambda: _connected(path), "the host's socket")
        assert connection is not None
        with connection:
            answers = connection.makefile("rb")
            for sent in range(number):
                count()
                memory.look(sent, number)
                request = {"jsonrpc": "2.0", "id": f"r{sent}", "method": f"desktop.{by.choice(METHODS)}"}
                params = json.loads(json.dumps(DESKTOP_PARAMS).replace("WORKSPACE", str(workspace)))
                text = json.dumps(mutants.mutant({**request, "params": params})).encode()
                connection.sendall((mutants.damaged(text) if by.random() < 0.1 else text) + b"\n")
                answer = json.loads(answers.readline())
                assert ("result" in answer) != ("error" in answer), answer
                assert "result" in answer or answer["error"]["code"].startswith("DESKTOP_"), answer
        memory.check()
        host.terminate()
        assert host.wait(PATIENCE) == 0
    finally:
        host.kill()
        host.wait()


def _connected(path: Path) -> socket.socket | None:
    """Returns None until it listens: the socket's file exists a moment earlier."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


@pytest.mark.trial("fuzz")
def test_mutants_of_prompts_in_the_log_are_shown_or_passed_over_and_none_stops_the_queue(server: Running) -> None:
    number, mutants, by = tries(100, 50_000), Mutants(chance()), chance()
    log = server.state / "ui-prompts.jsonl"
    for sent in range(number):
        count()
        prompt: Json = {
            "kind": by.choice(("kv", "choice", "task_confirm", "file_change_confirm", "result")),
            "title": "t",
        }
        prompt["fields"] = [{"key": "k", "label": "l", "required": True, "secret": False}]
        prompt["options"] = [{"value": "a", "label": "A"}]
        entry = {"type": "ui_prompt", "action": "request", "requestId": f"m{sent}", "runId": "r", "prompt": prompt}
        text = json.dumps(mutants.mutant(entry)).encode()
        with log.open("ab") as file:
            file.write((mutants.damaged(text) if by.random() < 0.2 else text) + b"\n")
    asked: Any = {"prompt": {"kind": "result", "title": "the last one"}}
    last = server.request("POST", "/api/prompts", json=asked).json["data"]["requestId"]
    pending = server.request("GET", "/api/prompts?state=pending", headers=server.sign_in()).json["data"]["entries"]
    assert last in {entry["requestId"] for entry in pending}
