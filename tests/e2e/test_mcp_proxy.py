"""`handrail mcp` with real servers: one for all proxies, started when needed, killed in between."""

import fcntl
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.persons import HANDRAIL, Person
from tests.waiting import until

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL_")}
WITH_TASKS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "proxied", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "proxied", "version": "1"}}


class Proxy:
    def __init__(self, stage: "Stage", *options: str) -> None:
        command = [HANDRAIL, "mcp", "--project", str(stage.project), "--state", str(stage.state), *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=CLEAN)
        self._count = 0

    def open(self) -> "Proxy":
        self.request("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method: str, params: Any) -> int:
        self._count += 1
        self.send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        return self._count

    def answer(self, id: int) -> Any:
        assert self.process.stdout is not None
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == id and "method" not in message:
                return message

    def request(self, method: str, params: Any) -> Any:
        answer = self.answer(self.begin(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.communicate(timeout=60)


class Stage:
    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir()
        (self.project / "file.txt").write_text("content\n")
        self.proxies: list[Proxy] = []

    def proxy(self, *options: str) -> Proxy:
        self.proxies.append(Proxy(self, *options))
        return self.proxies[-1].open()

    @property
    def server(self) -> int:
        data: int = json.loads((self.state / "server.json").read_bytes())["pid"]
        return data

    def records(self) -> list[Any]:
        log = self.state / "audit/log.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def end(self) -> None:
        for proxy in self.proxies:
            proxy.close()
        if (self.state / "server.json").exists() and (pid := self.server):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            # A server that was still starting ends without writing to its file.
            until(lambda: self.server == 0 or not Path(f"/proc/{pid}").exists())


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.end()


@pytest.mark.trial("proxies", is_long=True)
def test_a_start_that_came_second_leaves_the_first_server_its_time(stage: Stage) -> None:
    stage.state.mkdir(0o700)
    with (stage.state / "server.lock").open("w") as lock:  # the file of a server that isn't ready yet
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = Proxy(stage)
        stage.proxies.append(waiting)
        until(lambda: "already running" in log_of(stage), "a start that came second")
    waiting.open()
    assert not waiting.call("read_file", path="file.txt")["isError"]
    assert stage.server != waiting.process.pid


def log_of(stage: Stage) -> str:
    log = stage.state / "up.log"
    return log.read_text() if log.exists() else ""


def test_all_proxies_share_one_server_and_are_identified_by_the_kernel(stage: Stage) -> None:
    first = stage.proxy()
    assert first.call("read_file", path="file.txt")["structuredContent"]["content"] == "content\n"
    server = stage.server
    second = stage.proxy()
    assert not second.call("read_file", path="file.txt")["isError"]
    assert stage.server == server
    identities = [record["identity"] for record in stage.records() if record.get("tool") == "read_file"]
    assert [f":{proxy.process.pid}." in own for proxy, own in zip((first, second), identities, strict=True)] == [
        *(True, True)
    ]
    os.kill(server, signal.SIGKILL)
    assert not first.call("read_file", path="file.txt")["isError"]  # the session continues with the next server
    assert not second.call("read_file", path="file.txt")["isError"]
    assert stage.server != server


@pytest.mark.trial("proxies", is_long=True)
def test_a_write_whose_server_is_killed_while_it_waits_is_done_by_the_next_one(stage: Stage) -> None:
    proxy = stage.proxy()
    written = {"path": "new.txt", "content": "new\n"}
    proxy.call("write_to_file", **written, dryRun=True)
    id = proxy.begin("tools/call", {"name": "write_to_file", "arguments": {**written, "dryRun": False}})
    person = Person(stage.state)
    person.sees()
    os.kill(stage.server, signal.SIGKILL)
    person.answers("--ok")
    answer = proxy.answer(id)["result"]
    assert not answer["isError"], answer
    assert (stage.project / "new.txt").read_text() == "new\n"


@pytest.mark.trial("proxies", is_long=True)
def test_a_task_whose_server_is_killed_is_continued_by_the_same_call(stage: Stage) -> None:
    proxy, person = stage.proxy(), Person(stage.state)
    written = {"path": "new.txt", "content": "new\n"}
    proxy.call("write_to_file", **written, dryRun=True)
    call = {"name": "write_to_file", "arguments": {**written, "dryRun": False}, "_meta": WITH_TASKS}
    task = proxy.request("tools/call", call)
    assert (task["resultType"], task["status"]) == ("task", "working")
    person.sees()
    os.kill(stage.server, signal.SIGKILL)
    lost = proxy.answer(proxy.begin("tasks/get", {"taskId": task["taskId"], "_meta": WITH_TASKS}))["error"]
    assert "call the tool again" in lost["message"]
    (question,) = person.pending()
    person.answers("--ok")
    answer = proxy.request("tools/call", call)
    assert (answer["resultType"], answer["isError"]) == ("complete", False)
    assert (stage.project / "new.txt").read_text() == "new\n"
    assert question["requestId"] in json.dumps(stage.records())


@pytest.mark.trial("proxies", is_long=True)
def test_a_person_who_starts_a_server_replaces_the_one_for_agents(stage: Stage) -> None:
    proxy = stage.proxy()
    proxy.call("read_file", path="file.txt")
    before = stage.server
    options = ["--project", str(stage.project), "--state", str(stage.state), "--port", "0", "--no-open"]
    person = subprocess.Popen([HANDRAIL, "up", *options], stdout=subprocess.PIPE, env=CLEAN)
    assert person.stdout is not None
    assert b"handrail" in person.stdout.readline()
    assert stage.server == person.pid != before
    assert not proxy.call("read_file", path="file.txt")["isError"]
    person.terminate()
    person.communicate(timeout=60)


def test_without_a_server_the_proxy_serves_calls_directly(stage: Stage) -> None:
    proxy = stage.proxy("--alone")
    assert not proxy.call("read_file", path="file.txt")["isError"]
    assert not (stage.state / "server.json").exists()


def test_an_older_protocol_may_follow_a_probe_for_the_newest(stage: Stage) -> None:
    proxy = Proxy(stage, "--alone")
    stage.proxies.append(proxy)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "probing", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    probe = proxy.begin("server/discover", {"_meta": meta})
    opening = proxy.begin("initialize", HELLO)  # before the probe is answered
    assert "2026-07-28" in proxy.answer(probe)["result"]["supportedVersions"]
    assert proxy.answer(opening)["result"]["protocolVersion"] == "2025-06-18"
    proxy.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert not proxy.call("read_file", path="file.txt")["isError"]


@pytest.mark.trial("proxies", is_long=True)
def test_fifty_proxies_share_a_server_and_lose_nothing_when_it_is_killed(stage: Stage) -> None:
    with ThreadPoolExecutor(50) as pool:
        proxies = list(pool.map(lambda _: stage.proxy(), range(50)))
        server = stage.server

        def reads(proxy: Proxy) -> list[bool]:
            return [proxy.call("read_file", path="file.txt")["isError"] for _ in range(20)]

        reading = [pool.submit(reads, proxy) for proxy in proxies]
        until(lambda: len(stage.records()) > 100)
        os.kill(server, signal.SIGKILL)
        assert [any(each.result()) for each in reading] == [False] * 50
    assert stage.server != server
