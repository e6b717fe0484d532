"""Confirming a list of tasks with the keyboard."""

from pathlib import Path
from typing import Any

import pytest

from handrail.ports.prompt_queue import PromptQueue
from tests.features.people.screen.screen_user import ScreenUser, using_screen

TASKS = {
    "kind": "task_confirm",
    "title": "Plan",
    "tasks": [
        {"draftId": "1", "title": "Write", "details": "the docs", "priority": "high", "tags": ["a,b", "c"]},
        {"draftId": "2", "title": "Test"},
        {"draftId": "3", "title": "Ship", "status": "blocked"},
    ],
    "defaultRemark": "fine",
}


async def confirmed(user: ScreenUser) -> list[dict[str, Any]]:
    answer = await user.answered("t")
    assert answer["status"] == "ok"
    return list(answer["tasks"])


async def test_a_list_is_confirmed_as_it_is(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        for text in ("Write", "the docs", "high · to do · #a,b · #c", "blocked", "Confirm 3 tasks"):
            await user.until_shown(text)
        await user.press("y")
        assert (await user.answered("t"))["remark"] == "fine"
        assert [task["draftId"] for task in await confirmed(user)] == ["1", "2", "3"]
        assert (await confirmed(user))[0]["tags"] == ["a,b", "c"]


@pytest.mark.trial("terminal views", is_long=True)
async def test_tasks_are_moved_removed_and_restored(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        await user.press("enter", "alt+down", "J")
        await user.press("k", "minus")
        await user.until_said("u restores it")
        await user.press("u", "K", "delete")
        await user.press("y")
        assert [task["title"] for task in await confirmed(user)] == ["Test", "Write"]


async def test_a_task_is_edited_in_its_fields(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        await user.press("enter", "p", "s", "e", *" it", "tab", *"all ", "tab", "end", *", new", "enter")
        await user.until_shown("Write it")
        assert user.responses == {}
        await user.press("y")
        assert (await confirmed(user))[0] == {
            "draftId": "1",
            "title": "Write it",
            "details": "all the docs",
            "priority": "medium",
            "status": "doing",
            "tags": ["a", "b", "c", "new"],
        }


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_new_task_needs_a_title_and_ctrl_s_sends_what_is_being_typed(queue: PromptQueue, log: Path) -> None:
    await queue.request({"kind": "task_confirm"}, request_id="t")
    async with using_screen(queue, log) as user:
        await user.until_shown("No tasks")
        await user.press("enter", "plus", "ctrl+s")
        await user.until_shown("A task needs a title.")
        assert user.responses == {}
        await user.press(*"New", "ctrl+s")
        (task,) = await confirmed(user)
        assert (task["title"], task["priority"], task["status"]) == ("New", "medium", "todo")
        assert task["draftId"]


@pytest.mark.trial("terminal views", is_long=True)
async def test_esc_closes_the_card_first_and_then_leaves_the_form(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        await user.press("enter", "enter", "x", "escape")
        await user.until_shown("Writex")
        await user.press("escape")
        assert user.app.focused is not None
        assert user.app.focused.id == "waiting"


@pytest.mark.trial("terminal views", is_long=True)
async def test_enter_on_the_last_row_confirms(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        await user.press("enter", "down", "down", "down", "enter")
        assert len(await confirmed(user)) == 3


async def test_a_list_is_refused_with_a_remark(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with using_screen(queue, log) as user:
        await user.press("n", "ctrl+u", *"too much", "enter")
        assert await user.answered("t") == {"status": "canceled", "remark": "too much"}
