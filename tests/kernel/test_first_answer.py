"""A question in several places at once, over the real queue."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_queue import AnswerChannel
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ChoiceOption, ChoicePrompt
from handrail.stores.local.prompt_store import prompt_store

PROMPT = ChoicePrompt(options=(ChoiceOption(value="a"), ChoiceOption(value="b")))
CHOOSES_A = PromptResponse(status="ok", selection="a")


@asynccontextmanager
async def queue(state: Path) -> AsyncIterator[LogPromptQueue]:
    opened = LogPromptQueue(prompt_store(state))
    try:
        yield opened
    finally:
        await opened.close()


async def never() -> PromptResponse | None:
    await asyncio.Event().wait()
    return None


def answers(response: PromptResponse | None) -> AnswerChannel:
    async def answer() -> PromptResponse | None:
        return response

    return AnswerChannel("client:test", answer)


async def test_an_answer_from_another_channel_is_in_the_log_with_its_author(tmp_path: Path) -> None:
    async with queue(tmp_path) as prompts, asyncio.timeout(10):
        answer = await prompts.ask(PROMPT, request_id="q", channels=lambda prompt: [answers(CHOOSES_A)])
        assert answer.response == CHOOSES_A
        assert await prompts.pending() == []
        assert await prompts.answered_by(["q", "other"]) == {"q": "client:test"}


async def test_the_other_places_are_told_when_the_queue_was_first(tmp_path: Path) -> None:
    told: list[tuple[object, ...]] = []
    is_asked = asyncio.Event()

    async def answer() -> PromptResponse | None:
        is_asked.set()
        try:
            return await never()
        except asyncio.CancelledError as cancelled:
            told.append(cancelled.args)
            raise

    async with queue(tmp_path) as prompts, asyncio.timeout(10):
        asking = asyncio.ensure_future(
            prompts.ask(PROMPT, request_id="q", channels=lambda prompt: [AnswerChannel("terminal:ada", answer)])
        )
        await is_asked.wait()
        await prompts.respond("q", CHOOSES_A, by="console:ada")
        assert (await asking).response == CHOOSES_A
        assert told == [("answered",)]
        assert await prompts.answered_by(["q"]) == {"q": "console:ada"}


@pytest.mark.parametrize(
    "useless", [answers(None), answers(PromptResponse(status="ok", selection="not an option"))], ids=["none", "wrong"]
)
async def test_a_place_without_a_valid_answer_leaves_the_question_open(tmp_path: Path, useless: AnswerChannel) -> None:
    async with queue(tmp_path) as prompts, asyncio.timeout(10):
        asking = asyncio.ensure_future(prompts.ask(PROMPT, request_id="q", channels=lambda prompt: [useless]))
        async for _ in prompts.follow(0):
            break
        assert [entry.request_id for entry in await prompts.pending()] == ["q"]
        await prompts.respond("q", CHOOSES_A)
        assert (await asking).response == CHOOSES_A


async def test_who_stops_asking_is_asked_about_nowhere_any_more(tmp_path: Path) -> None:
    is_asked, has_let_go = asyncio.Event(), asyncio.Event()

    async def answer() -> PromptResponse | None:
        is_asked.set()
        try:
            return await never()
        finally:
            has_let_go.set()

    async with queue(tmp_path) as prompts, asyncio.timeout(10):
        asking = asyncio.ensure_future(
            prompts.ask(PROMPT, request_id="q", channels=lambda prompt: [AnswerChannel("terminal:ada", answer)])
        )
        await is_asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert has_let_go.is_set()


async def test_a_channel_has_time_to_clean_up_however_often_it_is_cancelled(tmp_path: Path) -> None:
    is_asked, is_letting_go, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    has_let_go = False

    async def answer() -> PromptResponse | None:
        nonlocal has_let_go
        is_asked.set()
        try:
            return await never()
        finally:
            is_letting_go.set()
            await may_end.wait()
            has_let_go = True

    async with queue(tmp_path) as prompts, asyncio.timeout(10):
        asking = asyncio.ensure_future(
            prompts.ask(PROMPT, request_id="q", channels=lambda prompt: [AnswerChannel("client:test", answer)])
        )
        await is_asked.wait()
        asking.cancel()
        await is_letting_go.wait()
        asking.cancel()
        await asyncio.sleep(0)
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert has_let_go
