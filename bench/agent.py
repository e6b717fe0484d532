"""The agent's overhead, compared with the bare stream and the bare tool.

Our own model server speaks OpenAI's format and records when it sends each word; `handrail up` is a separate process. A
word's time runs until the page's socket gets it, compared with curl reading the same stream. A call's time in a run is
compared with the same call through the gate.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import socketio

from bench.budget import Budget
from handrail import wiring as app
from handrail.faces.http import console_key
from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.kernel.task_ids import new_task_id
from handrail.ports.identity import Caller

_NAMESPACE = "/mimo"
_TASKS = 100
_WORDS = 20
_WORD_SECONDS = 0.05
_CALLS = 100
_ROUNDS = 30


class ModelServer:
    """The model: each word is unique, so that its receiver can look up when it was sent."""

    def __init__(self, word_seconds: float = _WORD_SECONDS) -> None:
        self.sent: dict[str, float] = {}
        self.address = ""
        self._word_seconds = word_seconds
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split()[0])
        words = int(json.loads(await reader.readexactly(length))["model"])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        stream = os.urandom(4).hex()
        for number in range(words):
            await asyncio.sleep(self._word_seconds)
            word = f"{stream}-{number} "
            self.sent[word.strip()] = time.perf_counter()
            writer.write(_chunk({"content": word}))
            await writer.drain()
        writer.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
        await writer.drain()
        writer.close()


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(head)}\n\n".encode()


class Page:
    def __init__(self, words: ModelServer) -> None:
        self.client = socketio.AsyncClient()
        self.times: list[float] = []
        self.texts: dict[str, str] = {}
        self.tools: list[float] = []
        self._words = words
        self._finished: dict[str, asyncio.Event] = {}
        self.client.on("frontend_event", self._on_event, namespace=_NAMESPACE)

    async def _on_event(self, message: dict[str, Any]) -> None:
        now, event = time.perf_counter(), message["event"]
        if event["type"] == "chatDelta" and not event["finished"]:
            text = event["delta"]["content"]
            self.texts[message["taskId"]] = self.texts.get(message["taskId"], "") + text
            self.times += [(now - self._words.sent[word]) * 1000 for word in text.split() if word in self._words.sent]
        elif event["type"] == "toolUsed":
            self.tools.append(now)
        elif event["type"] == "runStatus" and event["status"] == "waiting":
            self._finished.setdefault(message["taskId"], asyncio.Event()).set()

    async def run(self, model: str) -> str:
        task = new_task_id()
        message = {"v": 1, "type": "user_message", "id": f"evt-{task}", "taskId": task, "content": "x", "model": model}
        await self.client.call("frontend_message", message, namespace=_NAMESPACE, timeout=60)
        await self._finished.setdefault(task, asyncio.Event()).wait()
        return task


def measure() -> list[Budget]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Budget]:
    words = ModelServer()
    await words.open()
    state, project = folder / "state", folder / "project"
    project.mkdir()
    command = ["-m", "handrail", "up", "--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    environ = {**os.environ, "HANDRAIL_MODEL_BASE_URL": words.address, "HANDRAIL_DESKTOP": "false"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, env=environ, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    server = json.loads((state / "server.json").read_bytes())
    page = Page(words)
    try:
        address = f"http://127.0.0.1:{server['port']}"
        person = await asyncio.to_thread(sign_in, address, server["token"], state)
        await page.client.connect(address, headers=person, namespaces=[_NAMESPACE], transports=["websocket"])
        await page.run("openai-compatible:1")  # the first run imports the provider's packages
        first_times, curl_times = [], []
        for _ in range(_ROUNDS):
            page.times.clear()
            await page.run("openai-compatible:1")
            first_times.append(page.times[0])
            curl_times.append(await _measure_curl(words))
        page.times.clear()
        tasks = await asyncio.gather(*(page.run(f"openai-compatible:{_WORDS}") for _ in range(_TASKS)))
        complete_count = sum(_is_complete(page.texts[task]) for task in tasks)
        times = sorted(page.times)
        run_time = await _measure_in_run(page, folder)
    finally:
        await page.client.disconnect()
        process.terminate()
        await process.wait()
    alone_time = await _measure_alone(project, folder / "another")
    first, curl = statistics.median(first_times), statistics.median(curl_times)
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    completeness = f"{complete_count} of {_TASKS} whole and in order"
    return [
        Budget("the first word in the page after the model sent it, p50", "curl", first, curl, first - curl, 20),
        Budget(
            "a tool call in a run, without the model",
            "the same call alone",
            run_time,
            alone_time,
            run_time - alone_time,
            5,
        ),
        Budget(f"a word of {_TASKS} tasks that stream at once, p99 ({completeness})", "p50", p99, p50, p99, 200),
    ]


def sign_in(address: str, token: str, state: Path) -> dict[str, str]:
    """Returns the headers of a person's browser: only a person can choose a model."""
    headers = {"authorization": f"Bearer {token}", console_key.HEADER: (state / console_key.FILE).read_text().strip()}
    with httpx2.Client(base_url=address, trust_env=False) as client:
        code = client.post("/api/session/code", headers=headers).json()["data"]["code"]
        response = client.post("/api/session", headers={"origin": address}, json={"code": code})
    return {
        "cookie": response.headers["set-cookie"].partition(";")[0],
        "origin": address,
        "x-handrail-page": response.json()["data"]["pageSecret"],
    }


def _is_complete(texts: str) -> bool:
    return [word.partition("-")[2] for word in texts.split()] == [str(number) for number in range(_WORDS)]


async def _measure_curl(words: ModelServer) -> float:
    body = json.dumps({"model": "1", "stream": True})
    command = ["curl", "-sN", "-X", "POST", f"{words.address}/chat/completions", "-d", body]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    line = await process.stdout.readline()
    now = time.perf_counter()
    word = json.loads(line.removeprefix(b"data: "))["choices"][0]["delta"]["content"].strip()
    await process.communicate()
    return (now - words.sent[word]) * 1000


async def _measure_in_run(page: Page, folder: Path) -> float:
    """The time between the calls of one reply, as the page gets them."""
    script = folder / "script.json"
    uses = [{"name": "list_files", "arguments": {"path": "."}}] * _CALLS
    script.write_text(json.dumps({"turns": [{"uses": uses}, {"text": "done"}]}))
    page.tools.clear()
    await page.run(f"script:{script}")
    return (page.tools[-1] - page.tools[0]) * 1000 / _CALLS


async def _measure_alone(project: Path, state: Path) -> float:
    rig = app.Wiring().open_project(project, state, PresetAnswer("allow"))
    times = []
    try:
        for _ in range(_CALLS):
            call = Call("list_files", {"path": "."}, Caller("bench", "bench", "bench", "bench"), new_task_id())
            started = time.perf_counter()
            await rig.gate.run(call)
            times.append((time.perf_counter() - started) * 1000)
    finally:
        rig.close()
    return statistics.median(times)
