"""The queue in the state directory, as features and faces use it."""

import asyncio
import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.prompt_queue import PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.stores.local import file_watch, locked_journal, private_file, waiters
from handrail.stores.shared import mailbox
from tests.stores.processes import finish, finish_killed, start

PROMPT = {"kind": "file_change_confirm", "path": "a.txt"}
FORM = {"kind": "kv", "fields": [{"key": "user"}, {"key": "token", "secret": True}]}
FILLED = {"status": "ok", "values": {"user": "ada", "token": "hunter2"}}
OK = {"status": "ok"}


async def ids(queue: PromptQueue) -> list[str]:
    return [entry.request_id for entry in await queue.pending()]


async def until_asked(queue: PromptQueue, count: int = 1) -> list[str]:
    async with aclosing(queue.follow(0)) as pages:
        async for _ in pages:
            if len(listed_ids := await ids(queue)) >= count:
                return listed_ids
    raise AssertionError


async def until_waiting(queue: PromptQueue, request_id: str) -> None:
    while not await queue.is_waiting(request_id):
        await others()


async def others() -> None:
    """Lets all other tasks run."""
    await asyncio.sleep(0)


def file_contents(state: Path) -> bytes:
    """Returns every byte of every file."""
    return b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())


async def test_an_answer_reaches_the_asker(queue: PromptQueue, other: PromptQueue, state: Path) -> None:
    asking = asyncio.create_task(queue.ask(PROMPT, run_id="run-1"))
    (request_id,) = await until_asked(other)
    assert await other.is_waiting(request_id)
    receipt = await other.respond(request_id, {"status": "ok", "remark": "go on", "scope": "task"})
    assert receipt.warnings == ()
    assert await asking == PromptAnswer(request_id, PromptResponse(status="ok", remark="go on", scope="task"))
    assert not await other.is_waiting(request_id)
    assert await ids(other) == []
    assert queue.location == str(state / "ui-prompts.jsonl")


async def test_a_refusal_and_a_timeout_are_two_outcomes(queue: PromptQueue) -> None:
    for status in ("canceled", "timeout"):
        request_id = await queue.request(PROMPT)
        await queue.respond(request_id, {"status": status, "remark": "because"})
        assert (await queue.wait(request_id)).response == PromptResponse(status=status, remark="because")


async def test_secrets_reach_only_the_waiter(queue: PromptQueue, other: PromptQueue, state: Path) -> None:
    asking = asyncio.create_task(queue.ask(FORM))
    (request_id,) = await until_asked(other)
    assert (await other.respond(request_id, FILLED)).warnings == ()
    answer = await asking
    assert answer.response.values == {"user": "ada", "token": "hunter2"}
    assert answer.masked == frozenset()
    assert "hunter2" not in repr(answer)
    assert b"hunter2" not in file_contents(state)
    assert b'"values":{"user":"ada","token":"******"}' in file_contents(state)
    assert "hunter2" not in repr(await other.entries())


async def test_without_a_waiter_the_answer_is_masked_with_a_warning(queue: PromptQueue, state: Path) -> None:
    request_id = await queue.request(FORM)
    assert not await queue.is_waiting(request_id)
    assert len((await queue.respond(request_id, FILLED)).warnings) == 1
    assert b"hunter2" not in file_contents(state)


async def test_a_late_waiter_learns_which_secrets_are_lost(queue: PromptQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "_DELIVERY_SECONDS", 0.01)
    request_id = await queue.request(FORM)
    await queue.respond(request_id, FILLED)
    answer = await queue.wait(request_id)
    assert answer.response.values == {"user": "ada", "token": "******"}
    assert answer.masked == {"token"}


async def test_a_secret_goes_with_the_answer_that_won(queue: PromptQueue, other: PromptQueue) -> None:
    asking = asyncio.create_task(queue.ask(FORM))
    (request_id,) = await until_asked(other)

    async def respond(number: int) -> int | None:
        values = {"user": str(number), "token": f"secret of {number}"}
        try:
            await (queue, other)[number % 2].respond(request_id, {"status": "ok", "values": values})
        except Conflict:
            return None
        return number

    won = [number for number in await asyncio.gather(*map(respond, range(20))) if number is not None]
    assert len(won) == 1
    assert (await asking).response.values == {"user": str(won[0]), "token": f"secret of {won[0]}"}


async def test_another_program_that_answers_in_the_log_is_heard(queue: PromptQueue, log: Path) -> None:
    asking = asyncio.create_task(queue.ask(FORM))
    (request_id,) = await until_asked(queue)
    entry = {"ts": "2026-01-11T00:00:10.000Z", "type": "ui_prompt", "action": "response", "requestId": request_id}
    with log.open("a") as file:
        file.write('{"type":"noise"}\n' + json.dumps({**entry, "response": FILLED}) + "\n")
    assert (await asking).response.values == {"user": "ada", "token": "hunter2"}


@pytest.mark.parametrize("response", [{"status": "accepted"}, {"status": "ok", "values": {"user": 5}}, None, "ok"])
async def test_an_invalid_approval_in_the_log_does_not_count(queue: PromptQueue, log: Path, response: Any) -> None:
    asking = asyncio.create_task(queue.ask(FORM))
    (request_id,) = await until_asked(queue)
    with log.open("a") as file:
        entry = {"type": "ui_prompt", "action": "response", "requestId": request_id, "response": response}
        file.write(json.dumps(entry) + "\n")
    assert (await asking).response == PromptResponse(status="canceled")


async def test_waiting_works_before_the_request_or_the_log_exists(
    queue: PromptQueue, other: PromptQueue, state: Path
) -> None:
    waiting = asyncio.create_task(queue.wait("r"))
    await until_waiting(other, "r")
    assert file_contents(state) == b""
    await other.request(FORM, request_id="r")
    assert (await other.respond("r", FILLED)).warnings == ()
    assert (await waiting).response.values == FILLED["values"]


async def test_waiting_for_an_old_answer_returns_it(queue: PromptQueue, other: PromptQueue) -> None:
    await queue.request(PROMPT, request_id="r")
    await queue.respond("r", {"status": "canceled", "remark": "no"})
    assert (await other.wait("r")).response == PromptResponse(status="canceled", remark="no")


async def test_waiting_wakes_up_within_milliseconds(queue: PromptQueue, other: PromptQueue) -> None:
    loop = asyncio.get_running_loop()
    taken = []
    for _ in range(10):
        asking = asyncio.create_task(queue.ask(PROMPT))
        (request_id,) = await until_asked(other)
        start = loop.time()
        await other.respond(request_id, OK)
        await asking
        taken.append(loop.time() - start)
    assert sorted(taken)[5] < file_watch._LOOK_EVERY_SECONDS / 10


async def test_many_concurrent_waiters_each_get_their_own_answer(queue: PromptQueue, other: PromptQueue) -> None:
    asking = [asyncio.create_task(queue.ask(PROMPT, request_id=str(number))) for number in range(40)]
    await until_asked(other, 40)
    for number in range(39, -1, -1):
        await other.respond(str(number), {"status": "ok", "remark": f"to {number}"})
    answers = await asyncio.gather(*asking)
    assert [answer.response.remark for answer in answers] == [f"to {number}" for number in range(40)]


async def test_a_caller_that_stops_waiting_leaves_its_prompt(queue: PromptQueue, other: PromptQueue) -> None:
    asking = asyncio.create_task(queue.ask(PROMPT))
    (request_id,) = await until_asked(other)
    before = len(os.listdir("/proc/self/fd"))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not await other.is_waiting(request_id)
    assert await ids(other) == [request_id]
    assert len(os.listdir("/proc/self/fd")) < before
    waiting = asyncio.create_task(queue.wait(request_id))
    await until_waiting(other, request_id)
    await other.respond(request_id, OK)
    assert (await waiting).response.status == "ok"


async def test_a_cancelled_request_is_written_completely_or_not_at_all(queue: PromptQueue) -> None:
    for number in range(20):
        asking = asyncio.create_task(queue.request(PROMPT, request_id=str(number)))
        for _ in range(number % 5):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    assert {entry.request_id for entry in (await queue.entries()).entries} == set(await ids(queue))


async def test_invalid_prompts_are_refused_before_waiting(queue: PromptQueue, state: Path) -> None:
    with pytest.raises(InvalidParams):
        await queue.ask({"kind": "kv"})
    assert not list(state.parent.iterdir())


@pytest.fixture
def release_lock(log: Path) -> Iterator[Callable[[], None]]:
    """The log's lock, held by another process; calling this releases it."""
    log.parent.mkdir(exist_ok=True)
    with log.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield lambda: fcntl.flock(file, fcntl.LOCK_UN)


async def test_a_held_lock_delays_only_its_own_call(queue: PromptQueue, release_lock: Callable[[], None]) -> None:
    waiting = asyncio.create_task(queue.wait("r"))
    asking = asyncio.create_task(queue.request(PROMPT, request_id="r"))
    await until_waiting(queue, "r")
    assert await queue.answered_by(["r"]) == {}
    assert not asking.done()
    release_lock()
    assert await asking == "r"
    await queue.respond("r", OK)
    assert (await waiting).response.status == "ok"


async def test_changes_queued_behind_the_lock_are_written_one_by_one_with_a_single_flush(
    queue: PromptQueue, release_lock: Callable[[], None], monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    lines, synced = list[bytes](), list[int]()
    write_all, fdatasync = private_file.write_all, private_file.fdatasync

    def write(descriptor: int, data: bytes, *at: int) -> None:
        lines.append(data)
        write_all(descriptor, data, *at)

    def sync(descriptor: int) -> None:
        synced.append(descriptor)
        fdatasync(descriptor)

    monkeypatch.setattr(locked_journal, "write_all", write)
    monkeypatch.setattr(private_file, "fdatasync", sync)
    first = asyncio.create_task(queue.request(PROMPT, request_id="first"))
    for _ in range(20):
        await others()
    asking = [asyncio.create_task(queue.request(PROMPT, request_id=str(number))) for number in range(20)]
    twice = asyncio.create_task(queue.request(PROMPT, request_id="7"))
    for _ in range(20):
        await others()
    release_lock()
    assert [await first, *await asyncio.gather(*asking)] == ["first", *map(str, range(20))]
    with pytest.raises(Conflict, match="already"):
        await twice
    assert len(synced) <= 2
    assert b"".join(lines) == file_contents(state)
    assert [line.count(b"\n") for line in lines] == [1] * 21


async def test_neither_lock_nor_disk_nor_socket_is_waited_for_on_the_loops_thread(
    queue: PromptQueue, other: PromptQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: dict[str, set[int]] = {}

    def noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **positional: Any) -> Any:
            used.setdefault(name, set()).add(threading.get_ident())
            return function(*args, **positional)

        return noted

    monkeypatch.setattr(fcntl, "flock", noting("flock", fcntl.flock))
    monkeypatch.setattr(private_file, "fdatasync", noting("fdatasync", private_file.fdatasync))
    monkeypatch.setattr(sqlite3, "connect", noting("sqlite", sqlite3.connect))
    monkeypatch.setattr(waiters.Waiters, "_connect", noting("connect", waiters.Waiters._connect))
    asking = asyncio.create_task(queue.ask(FORM))
    (request_id,) = await until_asked(other)
    await other.respond(request_id, FILLED, by="console:ada")
    assert (await asking).masked == frozenset()
    assert await other.answered_by([request_id]) == {request_id: "console:ada"}
    assert [each.request_id for each in await other.history()] == [request_id]
    assert await other.find(request_id) is not None
    assert not await other.is_waiting(request_id)
    assert set(used) == {"flock", "fdatasync", "sqlite", "connect"}
    assert all(threading.get_ident() not in threads for threads in used.values())


async def test_a_question_can_be_withdrawn_after_the_queue_was_closed(queue: PromptQueue) -> None:
    request_id = await queue.request(PROMPT)
    await queue.close()
    await queue.respond(request_id, {"status": "timeout"})
    assert await ids(queue) == []


async def test_a_follower_gets_everything_once_in_order(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    await other.request(PROMPT, request_id="old")
    page = await queue.entries(10)
    assert [entry.request_id for entry in page.entries] == ["old"]
    values: list[tuple[str, str]] = []

    async def follow() -> None:
        async with aclosing(queue.follow(page.position)) as pages:
            async for more in pages:
                values.extend((entry.action, entry.request_id) for entry in more.entries)
                if len(values) == 20:
                    return

    following_it = asyncio.create_task(follow())
    for number in range(10):
        await other.request(PROMPT, request_id=str(number))
        with log.open("a") as file:
            file.write("noise\n")
        await other.respond(str(number), OK)
    await following_it
    assert values == [(action, str(number)) for number in range(10) for action in ("request", "response")]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import prompt_store

async def main():
    queue = LogPromptQueue(prompt_store(Path(sys.argv[1])))
    form = {"kind": "kv", "fields": [{"key": "token", "secret": True}]}
    asking = asyncio.create_task(queue.ask(form, request_id="r"))
    async for page in queue.follow(0):
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_restart_keeps_pending_prompts_and_marks_their_caller_as_gone(queue: PromptQueue, state: Path) -> None:
    await asyncio.to_thread(lambda: finish_killed(start(KILLED, state)))
    assert await ids(queue) == ["r"]
    assert not await queue.is_waiting("r")
    waiting = asyncio.create_task(queue.wait("r"))
    await until_waiting(queue, "r")
    assert (await queue.respond("r", {"status": "ok", "values": {"token": "hunter2"}})).warnings == ()
    assert (await waiting).response.values == {"token": "hunter2"}


ASKING = """
import asyncio, sys
from pathlib import Path
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import prompt_store

async def main():
    queue = LogPromptQueue(prompt_store(Path(sys.argv[1])))
    answer = await queue.ask({"kind": "kv", "fields": [{"key": "token", "secret": True}]}, request_id=sys.argv[2])
    print(answer.response.values["token"])

asyncio.run(main())
"""


async def test_secrets_cross_from_one_process_to_another(queue: PromptQueue, state: Path) -> None:
    processes = [start(ASKING, state, name) for name in ("a", "b")]
    for name in await until_asked(queue, 2):
        await queue.respond(name, {"status": "ok", "values": {"token": f"secret of {name}"}})
    for name, process in zip(("a", "b"), processes, strict=True):
        assert (await asyncio.to_thread(finish, process)) == f"secret of {name}\n"
    assert b"secret of" not in file_contents(state)
