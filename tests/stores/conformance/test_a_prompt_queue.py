"""Questions that cross from one process to another, on this machine and in a team's database."""

import asyncio

import pytest

from handrail.ports.errors import Conflict, NotFound
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptAnswer, PromptQueue
from tests.stores.conformance.conftest import ProcessStores
from tests.waiting import eventually

ASK = {"kind": "kv", "title": "Name", "fields": [{"key": "name"}]}
SECRET = {"kind": "kv", "title": "Password", "fields": [{"key": "user"}, {"key": "word", "secret": True}]}


async def asked(queue: PromptQueue, prompt: object, request_id: str) -> "asyncio.Task[PromptAnswer]":
    task = asyncio.create_task(queue.ask(prompt, request_id=request_id, origin=OWN_ORIGIN))  # type: ignore[arg-type]
    await eventually(lambda: queue.find(request_id))
    return task


async def test_an_answer_in_another_process_reaches_the_asker(stores: ProcessStores, other: ProcessStores) -> None:
    waiting = await asked(stores.prompts, ASK, "r1")
    assert await other.prompts.is_waiting("r1")
    assert [each.request_id for each in await other.prompts.pending()] == ["r1"]
    await other.prompts.respond("r1", {"status": "ok", "values": {"name": "Ada"}}, by="console:ada")
    assert (await waiting).response.values == {"name": "Ada"}
    assert not await other.prompts.is_waiting("r1")
    assert await stores.prompts.answered_by(["r1"]) == {"r1": "console:ada"}
    assert (await other.prompts.origins(["r1"]))["r1"].is_own


async def test_the_first_answer_wins(stores: ProcessStores, other: ProcessStores) -> None:
    for number in range(5):
        request_id = await stores.prompts.request(ASK)
        answer = {"status": "ok", "values": {"name": str(number)}}
        answers = (kept.prompts.respond(request_id, answer) for kept in (stores, other) * 3)
        results = await asyncio.gather(*answers, return_exceptions=True)
        assert sum(not isinstance(each, BaseException) for each in results) == 1
        assert sum(isinstance(each, Conflict) for each in results) == 5


async def test_a_secret_reaches_only_the_waiter(stores: ProcessStores, other: ProcessStores) -> None:
    waiting = await asked(stores.prompts, SECRET, "r1")
    answer = {"status": "ok", "values": {"user": "ada", "word": "hunter2"}}
    assert not (await other.prompts.respond("r1", answer)).warnings
    assert (await waiting).response.values == {"user": "ada", "word": "hunter2"}
    page = await other.prompts.entries()
    assert "hunter2" not in repr(page)


async def test_without_a_waiter_a_secret_is_lost_and_reported(stores: ProcessStores, other: ProcessStores) -> None:
    await stores.prompts.request(SECRET, request_id="r1")
    receipt = await other.prompts.respond("r1", {"status": "ok", "values": {"user": "ada", "word": "hunter2"}})
    assert "word" in receipt.warnings[0]


async def test_the_last_to_wait_gets_the_secret(stores: ProcessStores, other: ProcessStores) -> None:
    first = await asked(stores.prompts, SECRET, "r1")
    second = asyncio.create_task(other.prompts.wait("r1"))
    await asyncio.wait({second}, timeout=0.3)
    await other.prompts.respond("r1", {"status": "ok", "values": {"user": "ada", "word": "hunter2"}})
    assert (await second).response.values == {"user": "ada", "word": "hunter2"}
    first.cancel()  # it would wait in vain for its own
    await asyncio.wait({first})


async def test_a_cancelled_wait_leaves_the_question_pending(stores: ProcessStores, other: ProcessStores) -> None:
    waiting = await asked(stores.prompts, ASK, "r1")
    waiting.cancel()
    await asyncio.wait({waiting})
    assert await other.prompts.find_waiting(["r1", "r2"]) == set()
    assert [each.request_id for each in await other.prompts.pending()] == ["r1"]


async def test_a_follower_gets_everything_once_in_order(stores: ProcessStores, other: ProcessStores) -> None:
    await stores.prompts.request(ASK, request_id="before")
    position = (await other.prompts.entries()).position
    values: list[str] = []

    async def follow() -> None:
        async for page in other.prompts.follow(position):
            values.extend(entry.request_id for entry in page.entries)

    following = asyncio.create_task(follow())
    for number in range(10):
        await stores.prompts.request(ASK, request_id=f"r{number}")
    await eventually(lambda: len(values) == 10)
    following.cancel()
    assert values == [f"r{number}" for number in range(10)]


async def test_unknown_questions_cannot_be_answered(stores: ProcessStores) -> None:
    with pytest.raises(NotFound):
        await stores.prompts.respond("never", {"status": "ok"})
