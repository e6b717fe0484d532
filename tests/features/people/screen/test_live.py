"""What happens while the view is open: new questions, answers from elsewhere, callers that leave, failures."""

import asyncio
import json
from pathlib import Path

import pytest

from handrail.features.people.cli.screen.lines import TextBlock
from handrail.features.people.cli.screen.outcome import HistoryPage
from handrail.features.people.cli.screen.prompt_list import PromptList
from handrail.ports.errors import InputOutput
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptQueue
from tests.features.people.screen.screen_user import using_screen
from tests.waiting import PATIENCE

CHANGE = {"kind": "file_change_confirm", "title": "Write a.txt", "path": "a.txt"}
FORM = {"kind": "kv", "title": "Sign in", "fields": [{"key": "token", "secret": True}]}


async def test_new_questions_are_added_at_the_end_and_replace_none(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    async with using_screen(queue, log) as user:
        await user.until_shown("Nothing is waiting for you.")
        await other.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
        await user.until(lambda: user.shown == "approval_1")
        await user.press("n", *"half")
        await other.request({**CHANGE, "title": "Another"}, request_id="approval_2", origin=OWN_ORIGIN)
        await user.until_shown("Another")
        assert (user.shown, user.rows) == ("approval_1", ["approval_1", "approval_2"])
        await user.press("enter")
        assert await user.answered("approval_1") == {"status": "canceled", "remark": "half"}


async def test_keys_are_ignored_for_a_moment_after_a_question_appears(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    async with using_screen(queue, log) as user:
        await other.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
        async with asyncio.timeout(PATIENCE):
            while user.shown is None:
                user.clock.now += 1
                await asyncio.sleep(0)
        assert user.app.shown_since == user.clock.now


async def test_a_question_answered_elsewhere_says_so_and_takes_no_keys(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    await queue.request(CHANGE, request_id="approval_2", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await other.respond("approval_1", {"status": "canceled", "remark": "not now"}, by="console:bob")
        await user.until_shown("Answered elsewhere")
        await user.until_shown("console:bob")
        await user.until_shown("not now")
        assert (user.shown, user.rows) == ("approval_1", ["approval_1", "approval_2"])
        await user.press("y", "r", "n", "ctrl+s")
        await user.until_said("settled")
        assert set(user.responses) == {"approval_1"}
        await user.press("enter")
        await user.until(lambda: user.shown == "approval_2")
        assert user.rows == ["approval_2"]
        await user.press("y")
        await user.until_shown("Answered by you")
        await user.press("enter")
        await user.until_shown("Nothing is waiting for you.")


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_form_that_is_answered_elsewhere_clears_its_secret(
    queue: PromptQueue, other: PromptQueue, log: Path
) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("enter", *"abc")
        await other.respond("f", {"status": "timeout"})
        await user.until_shown("timed out")
        assert user.typed == [""]
        assert user.app.focused is not None
        assert user.app.focused.id == "waiting"


async def test_a_second_answer_is_refused_with_the_first_one(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        user.app.workers.cancel_all()  # updates no longer arrive
        await other.respond("approval_1", {"status": "ok"}, by="console:bob")
        await user.press("n", "enter")
        await user.until(lambda: "answer" in user.status)
        assert user.responses == {"approval_1": {"status": "ok"}}


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_failing_disk_is_reported_and_the_answer_can_be_repeated(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        respond = queue.respond

        async def fail(*words: object, **names: object) -> None:
            raise InputOutput("No space left on device.", hint="Free some.")

        queue.respond = fail  # type: ignore[assignment, method-assign]
        await user.press("n", *"no", "enter")
        await user.until_said("No space left")
        await user.until_said("Free some.")
        queue.respond = respond  # type: ignore[method-assign]
        await user.press("enter")
        assert await user.answered("approval_1") == {"status": "canceled", "remark": "no"}


async def test_a_crash_prints_no_secret(queue: PromptQueue, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["h", "u", "n", "t", "e", "r", "2"]
    await queue.request(FORM, request_id="f")

    async def fail(*words: object, **names: object) -> None:
        raise RuntimeError("a fault")

    queue.respond = fail  # type: ignore[assignment, method-assign]
    with pytest.raises(RuntimeError, match="a fault"):
        async with using_screen(queue, log) as user:
            await user.press("enter", *typed, "enter")
    printed = "".join(capsys.readouterr())
    assert "a fault" in printed
    assert "".join(typed) not in printed


async def test_a_caller_that_stopped_waiting_is_marked(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    asking = asyncio.create_task(other.ask(CHANGE, request_id="approval_1", origin=OWN_ORIGIN))
    async with using_screen(queue, log) as user:
        await user.until(lambda: user.shown == "approval_1")
        assert "caller gone" not in user.screen
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await user.until_shown("caller gone")
        await user.until_shown("The agent stopped waiting.")


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_replaced_log_is_read_again(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        log.write_bytes(b"")  # noqa: ASYNC240
        await user.until_shown("no longer in the log")
        await queue.request(CHANGE, request_id="approval_2", origin=OWN_ORIGIN)
        await user.until(lambda: user.rows == ["approval_1", "approval_2"])
        await user.press("y")
        assert user.responses == {}


async def test_the_history_shows_who_answered_what_and_when(queue: PromptQueue, other: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    await queue.respond("approval_1", {"status": "ok", "scope": "task", "remark": "go on"}, by="console:bob")
    await queue.request(FORM, request_id="f")
    await queue.respond("f", {"status": "ok", "values": {"token": "hunter2"}})
    await queue.request(CHANGE, request_id="approval_2", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("a")
        await user.until_shown("token: ******")
        await user.press("j")
        for text in ("allowed", "console:bob", "for this task", "go on", "a.txt"):
            await user.until_shown(text)
        await user.press("y", "n", "space", "K")
        assert "approval_2" not in user.responses
        await other.request(CHANGE, request_id="approval_3", origin=OWN_ORIGIN)
        await other.respond("approval_3", {"status": "canceled"})
        await user.until(lambda: user.app.query_one("#answered", PromptList).option_count == 3)
        assert "go on" in user.app.query_one(HistoryPage).query_one(TextBlock).plain
        await user.press("escape")
        await user.until(lambda: user.shown == "approval_2")


async def test_a_line_of_another_program_can_hide_nothing_in_its_time(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="approval_1", origin=OWN_ORIGIN)
    hostile = "\u202e\x1b[2J" * 5
    entry = {"ts": hostile, "type": "ui_prompt", "requestId": "x"}
    lines = [
        {**entry, "action": "request", "prompt": {"kind": "result", "title": "Foreign"}},
        {**entry, "action": "response", "response": {"status": "ok", "remark": hostile}},
    ]
    async with using_screen(queue, log) as user:
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(lines[0]) + "\n")
        await user.until_shown("Foreign")
        await user.press("j")
        assert not set(user.screen) & set("\u202e\x1b")
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(lines[1]) + "\n")
        await user.until_shown("Answered elsewhere")
        assert not set(user.screen) & set("\u202e\x1b")
        await user.press("a")
        await user.until_shown("Foreign")
        assert not set(user.screen) & set("\u202e\x1b")


@pytest.mark.trial("terminal views", is_long=True)
async def test_an_empty_history_says_so(queue: PromptQueue, log: Path) -> None:
    async with using_screen(queue, log) as user:
        await user.press("a")
        await user.until_shown("No answered questions yet.")
        await user.press("a")
        await user.until_shown("Nothing is waiting for you.")


async def test_entries_that_arrive_while_the_view_closes_do_no_harm(queue: PromptQueue, log: Path) -> None:
    async with using_screen(queue, log) as user:
        await user.app.query_one("#body").remove()
        user.app.changed()
        await user.pilot.pause()
