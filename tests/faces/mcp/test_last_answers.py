"""Whether calls go on when their client ends: it may still read answers, or be gone."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import handrail
from handrail.faces.jsonrpc.socket_file import open_socket
from handrail.faces.local import client
from handrail.faces.local.server import LocalServer, Stream
from handrail.faces.mcp import lines
from handrail.faces.mcp.local import LocalMcp
from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.target import Target
from handrail.wiring import Wiring
from tests.faces.local.test_local_socket import identify_caller
from tests.waiting import PATIENCE

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
WRITE = {"path": "new.txt", "content": "new\n"}


class Person(Approver):
    """Answers when the test does."""

    def __init__(self) -> None:
        self.is_asked, self.says_yes, self.is_left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def will_ask(self, call: Call, target: Target) -> bool:
        return True

    async def ask(self, question: Question) -> Answer:
        self.is_asked.set()
        try:
            await self.says_yes.wait()
        finally:
            self.is_left.set()
        return Answer("ok", "person")


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, id: int, method: str, params: Any) -> None:
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        self.writer.write(json.dumps(message).encode() + b"\n")

    async def answer(self, id: int) -> Any:
        while (message := json.loads(await self.reader.readline())).get("id") != id:
            pass
        return message

    async def ask_to_write(self, person: Person) -> None:
        self.send(1, "initialize", HELLO)
        self.send(2, "tools/call", {"name": "write_to_file", "arguments": {**WRITE, "dryRun": True}})
        await self.answer(2)
        self.send(3, "tools/call", {"name": "write_to_file", "arguments": {**WRITE, "dryRun": False}})
        await person.is_asked.wait()


@asynccontextmanager
async def connected(folder: Path, person: Person) -> AsyncIterator[Client]:
    (folder / "project").mkdir()
    project = Wiring().open_project(folder / "project", folder / "state", person)

    async def find_project(path: str | None) -> Project:
        return project

    mcp = LocalMcp(lambda project: project.gate)
    with open_socket(folder / "local.sock") as listener:
        server = LocalServer({"mcp": lambda: mcp.serve}, find_project, identify_caller)
        async with server.listening(listener):
            hello = {"handrail": handrail.__version__}
            connection = await asyncio.to_thread(client.send_hello, str(folder / "local.sock"), "mcp", hello)
            connection.setblocking(False)
            reader, writer = await asyncio.open_unix_connection(sock=connection)
            assert [json.loads(await reader.readline())["ok"] for _ in range(2)] == [True, True]
            yield Client(reader, writer)
            writer.close()
    project.close()


@pytest.fixture(autouse=True)
def endless_last_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a call that ends has been ended by what the test does."""
    monkeypatch.setattr(lines, "_LAST_ANSWERS_SECONDS", 1_000_000.0)


async def test_the_question_of_a_client_that_was_killed_knows_at_once_that_it_is_gone(tmp_path: Path) -> None:
    person = Person()
    async with asyncio.timeout(PATIENCE), connected(tmp_path, person) as agent:
        await agent.ask_to_write(person)
        agent.writer.close()  # as the kernel does it for a process that ends
        await person.is_left.wait()
    assert not person.says_yes.is_set()


async def test_a_client_that_only_writes_no_more_gets_its_last_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, has_looked = Person(), asyncio.Event()

    def is_gone(stream: Stream) -> bool:
        has_looked.set()
        return is_really_gone(stream)

    is_really_gone: Callable[[Stream], bool] = vars(Stream)["is_gone"].fget
    monkeypatch.setattr(Stream, "is_gone", property(is_gone))
    async with asyncio.timeout(PATIENCE), connected(tmp_path, person) as agent:
        await agent.ask_to_write(person)
        agent.writer.write_eof()
        await has_looked.wait()
        person.says_yes.set()
        assert not (await agent.answer(3))["result"]["isError"]
    assert (tmp_path / "project/new.txt").read_text() == "new\n"
