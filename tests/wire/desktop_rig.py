"""The host of contract 1 on a real socket, with an in-memory desktop, and a client that only knows the wire."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from handrail.features.desktop.desktop_port import DesktopPort
from handrail.features.desktop.host.confirmation import Mode
from handrail.features.desktop.host_program import serve_desktop
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import prompt_store
from handrail.wiring import Wiring
from tests.scripted_desktop import ScriptedDesktop
from tests.waiting import eventually

Json = dict[str, Any]
PHRASE = {"phrase": "CONFIRM"}
_numbers = count(1)


class Bridge:
    """One connection. Answers may come in any order and are matched to their requests."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, workspace: Path) -> None:
        self._reader = reader
        self.writer = writer
        self.workspace = workspace
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        self.strays: asyncio.Queue[Json] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    def meta(self, **more: Any) -> Json:
        own = {"schemaVersion": 1, "requestId": f"request-{next(_numbers)}", "workspacePath": str(self.workspace)}
        return {**own, "timeoutMs": 20_000, **more}

    def send(self, method: str, *, id: str | None = None, meta: Json | None = None, **params: Any) -> Awaitable[Json]:
        """Sends a request now and returns a future for the answer."""
        used = id or f"id-{next(_numbers)}"
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[used] = answer
        self.line({"jsonrpc": "2.0", "id": used, "method": method, "params": {"meta": meta or self.meta(), **params}})
        return answer

    async def call(self, method: str, **params: Any) -> Json:
        """Returns the result of a call that must succeed."""
        answer = await self.send(method, **params)
        assert set(answer) == {"jsonrpc", "id", "result"}, answer
        result: Json = answer["result"]
        return result

    async def refused(self, method: str, **params: Any) -> Json:
        """Returns the error of a call that must fail."""
        return error_of(await self.send(method, **params))

    def line(self, value: Any) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
        self.writer.write(data + b"\n")

    async def stray(self, value: Any) -> Json:
        """Returns the answer to a line that none of our calls sent."""
        self.line(value)
        return await self.strays.get()

    async def token(self, method: str, ttl_ms: int = 60_000, **params: Any) -> str:
        issued = await self.call("desktop.confirm.issue", intent={"method": method, "params": params}, ttlMs=ttl_ms)
        return str(issued["token"])

    async def act(self, method: str, **params: Any) -> Json:
        """With a fresh token."""
        return await self.call(method, confirm={"token": await self.token(method, **params)}, **params)

    async def find(self, **selector: Any) -> list[Json]:
        refs: list[Json] = (await self.call("desktop.find", selector=selector))["elementRefs"]
        return refs

    async def close(self) -> None:
        self.writer.close()
        self._reading.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await self._reading

    async def _read(self) -> None:
        with suppress(ConnectionError):
            while line := await self._reader.readline():
                answer = json.loads(line)
                waiting = self._waiting.pop(answer["id"], None) if isinstance(answer["id"], str) else None
                if waiting is not None:
                    waiting.set_result(answer)
                else:
                    self.strays.put_nowait(answer)


def error_of(answer: Json) -> Json:
    assert set(answer) == {"jsonrpc", "id", "error"}, answer
    error: Json = answer["error"]
    assert set(error) == {"code", "message", "retryable", "details"}, error
    assert isinstance(error["code"], str)
    assert error["message"]
    assert isinstance(error["retryable"], bool)
    return error


class DesktopRig:
    def __init__(self, folder: Path, desktop: ScriptedDesktop) -> None:
        self.root, self.state = folder / "root", folder / "state"
        self.socket = self.state / "desktop.sock"
        self.desktop = desktop
        self.workspace = self.root / "work"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self._bridges: list[Bridge] = []

    async def connect(self, workspace: Path | None = None) -> Bridge:
        reader, writer = await asyncio.open_unix_connection(str(self.socket), limit=1 << 24)
        bridge = Bridge(reader, writer, workspace or self.workspace)
        self._bridges.append(bridge)
        return bridge

    def queue(self) -> LogPromptQueue:
        """Opens the queue as a person's own program does."""
        return LogPromptQueue(prompt_store(self.state))

    def index(self) -> list[Json]:
        file = self.workspace / "artifacts/desktop/index.ndjson"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    async def acting(self) -> str:
        """Returns the executionId of the call that is about to act, once its first evidence is on disk."""
        files = await eventually(lambda: list(self.workspace.glob("artifacts/desktop/*/*/before.png")))
        return files[0].parent.name

    async def close(self) -> None:
        for bridge in self._bridges:
            await bridge.close()


@asynccontextmanager
async def hosting(
    folder: Path,
    mode: Mode = "contract",
    *,
    desktop: ScriptedDesktop | None = None,
    open_desktop: Callable[[], Awaitable[DesktopPort]] | None = None,
    unused_seconds: float | None = None,
) -> AsyncIterator[DesktopRig]:
    """A host that is ready, unless a test opens the desktop itself."""
    rig = DesktopRig(folder, desktop or ScriptedDesktop())
    is_open, is_listening = asyncio.Event(), asyncio.Event()

    async def give() -> DesktopPort:
        is_open.set()
        return rig.desktop

    opening = open_desktop or give
    serving = asyncio.create_task(
        serve_desktop(
            rig.root, Wiring(), rig.state, mode, lambda path: is_listening.set(), open_desktop=opening,
            unused_seconds=unused_seconds,
        )
    )  # fmt: skip
    serving.add_done_callback(lambda _: is_listening.set())
    await is_listening.wait()
    if open_desktop is None:
        await is_open.wait()
    try:
        yield rig
    finally:
        await rig.close()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


def files_in(result: Json) -> set[str]:
    return set(os.listdir(result["evidence"]["dir"]))


def read_file(result: Json, name: str) -> bytes:
    return Path(result["evidence"]["dir"], name).read_bytes()


def read_json(result: Json, name: str) -> Any:
    return json.loads(read_file(result, name))
