"""What happens while one looks: news, answers given elsewhere, callers that go, trouble."""

import asyncio
import json
from pathlib import Path

import pytest

from handrail.features.people.cli.screen.lines import TextBlock
from handrail.features.people.cli.screen.outcome import HistoryPage
from handrail.features.people.cli.screen.prompt_list import PromptList
from handrail.ports.errors import InputOutput
from handrail.ports.prompt_queue import OWN, PromptQueue
from tests.features.people.screen.seat import seated
from tests.waiting import PATIENCE

CHANGE = {"kind": "file_change_confirm", "title": "Write a.txt", "path": "a.txt"}
FORM = {"kind": "kv", "title": "Sign in", "fields": [{"key": "token", "secret": True}]}


async def test_news_are_added_behind_and_take_nobodys_place(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    async with seated(queue, log) as seat:
        await seat.until_shown("Nothing is waiting for you.")
        await other.request(CHANGE, request_id="approval_1", origin=OWN)
        await seat.until(lambda: seat.shown == "approval_1")
        await seat.press("n", *"half")
        await other.request({**CHANGE, "title": "Another"}, request_id="approval_2", origin=OWN)
        await seat.until_shown("Another")
        assert (seat.shown, seat.rows) == ("approval_1", ["approval_1", "approval_2"])
        await seat.press("enter")
        assert await seat.answered("approval_1") == {"status": "canceled", "remark": "half"}


async def test_a_question_counts_as_shown_from_the_moment_on_from_which_its_keys_are_held_back(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    async with seated(queue, log) as seat:
        await other.request(CHANGE, request_id="approval_1", origin=OWN)
        async with asyncio.timeout(PATIENCE):
            while seat.shown is None:
                seat.clock.now += 1
                await asyncio.sleep(0)
        assert seat.app.shown_since == seat.clock.now


async def test_what_is_answered_elsewhere_says_so_in_its_place_and_takes_no_key(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    await queue.request(CHANGE, request_id="approval_2", origin=OWN)
    async with seated(queue, log) as seat:
        await other.respond("approval_1", {"status": "canceled", "remark": "not now"}, by="console:bob")
        await seat.until_shown("Answered elsewhere")
        await seat.until_shown("console:bob")
        await seat.until_shown("not now")
        assert (seat.shown, seat.rows) == ("approval_1", ["approval_1", "approval_2"])
        await seat.press("y", "r", "n", "ctrl+s")
        await seat.until_said("settled")
        assert set(seat.responses) == {"approval_1"}
        await seat.press("enter")
        await seat.until(lambda: seat.shown == "approval_2")
        assert seat.rows == ["approval_2"]
        await seat.press("y")
        await seat.until_shown("Answered by you")
        await seat.press("enter")
        await seat.until_shown("Nothing is waiting for you.")


async def test_a_form_that_is_answered_elsewhere_lets_go_of_its_secret(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    await queue.request(FORM, request_id="f")
    async with seated(queue, log) as seat:
        await seat.press("enter", *"abc")
        await other.respond("f", {"status": "timeout"})
        await seat.until_shown("timed out")
        assert seat.typed == [""]
        assert seat.app.focused is not None
        assert seat.app.focused.id == "waiting"


async def test_who_answers_second_learns_that_somebody_was_first(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    async with seated(queue, log) as seat:
        seat.app.workers.cancel_all()  # news are late
        await other.respond("approval_1", {"status": "ok"}, by="console:bob")
        await seat.press("n", "enter")
        await seat.until(lambda: "answer" in seat.status)
        assert seat.responses == {"approval_1": {"status": "ok"}}


async def test_a_failing_disk_is_told_and_the_answer_can_be_given_again(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    async with seated(queue, log) as seat:
        respond = queue.respond

        async def fail(*words: object, **names: object) -> None:
            raise InputOutput("No space left on device.", hint="Free some.")

        queue.respond = fail  # type: ignore[assignment, method-assign]
        await seat.press("n", *"no", "enter")
        await seat.until_said("No space left")
        await seat.until_said("Free some.")
        queue.respond = respond  # type: ignore[method-assign]
        await seat.press("enter")
        assert await seat.answered("approval_1") == {"status": "canceled", "remark": "no"}


async def test_a_fault_of_ours_prints_no_secret(
    queue: PromptQueue, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["h", "u", "n", "t", "e", "r", "2"]
    await queue.request(FORM, request_id="f")

    async def fail(*words: object, **names: object) -> None:
        raise RuntimeError("a fault")

    queue.respond = fail  # type: ignore[assignment, method-assign]
    with pytest.raises(RuntimeError, match="a fault"):
        async with seated(queue, log) as seat:
            await seat.press("enter", *typed, "enter")
    printed = "".join(capsys.readouterr())
    assert "a fault" in printed
    assert "".join(typed) not in printed


async def test_a_caller_that_waits_no_more_is_marked(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    asking = asyncio.create_task(other.ask(CHANGE, request_id="approval_1", origin=OWN))
    async with seated(queue, log) as seat:
        await seat.until(lambda: seat.shown == "approval_1")
        assert "caller gone" not in seat.screen
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await seat.until_shown("caller gone")
        await seat.until_shown("A yes is kept")


async def test_a_replaced_log_is_read_anew(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    async with seated(queue, log) as seat:
        log.write_bytes(b"")  # noqa: ASYNC240
        await seat.until_shown("no longer in the log")
        await queue.request(CHANGE, request_id="approval_2", origin=OWN)
        await seat.until(lambda: seat.rows == ["approval_1", "approval_2"])
        await seat.press("y")
        assert seat.responses == {}


async def test_the_history_tells_who_said_what_and_when(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    await queue.respond("approval_1", {"status": "ok", "scope": "task", "remark": "go on"}, by="console:bob")
    await queue.request(FORM, request_id="f")
    await queue.respond("f", {"status": "ok", "values": {"token": "hunter2"}})
    await queue.request(CHANGE, request_id="approval_2", origin=OWN)
    async with seated(queue, log) as seat:
        await seat.press("a")
        await seat.until_shown("token: ******")
        await seat.press("j")
        for text in ("allowed", "console:bob", "for this task", "go on", "a.txt"):
            await seat.until_shown(text)
        await seat.press("y", "n", "space", "K")
        assert "approval_2" not in seat.responses
        await other.request(CHANGE, request_id="approval_3", origin=OWN)
        await other.respond("approval_3", {"status": "canceled"})
        await seat.until(lambda: seat.app.query_one("#answered", PromptList).option_count == 3)
        assert "go on" in seat.app.query_one(HistoryPage).query_one(TextBlock).plain
        await seat.press("escape")
        await seat.until(lambda: seat.shown == "approval_2")


async def test_a_line_of_another_program_can_hide_nothing_in_its_time(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN)
    hostile = "\u202e\x1b[2J" * 5
    entry = {"ts": hostile, "type": "ui_prompt", "requestId": "x"}
    lines = [
        {**entry, "action": "request", "prompt": {"kind": "result", "title": "Foreign"}},
        {**entry, "action": "response", "response": {"status": "ok", "remark": hostile}},
    ]
    async with seated(queue, log) as seat:
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(lines[0]) + "\n")
        await seat.until_shown("Foreign")
        await seat.press("j")
        assert not set(seat.screen) & set("\u202e\x1b")
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(lines[1]) + "\n")
        await seat.until_shown("Answered elsewhere")
        assert not set(seat.screen) & set("\u202e\x1b")
        await seat.press("a")
        await seat.until_shown("Foreign")
        assert not set(seat.screen) & set("\u202e\x1b")


async def test_an_empty_history_says_so(queue: PromptQueue, log: Path) -> None:
    async with seated(queue, log) as seat:
        await seat.press("a")
        await seat.until_shown("Nothing was answered yet.")
        await seat.press("a")
        await seat.until_shown("Nothing is waiting for you.")
