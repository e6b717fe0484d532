"""A list of tasks, by keys alone."""

from pathlib import Path
from typing import Any

from handrail.ports.prompt_queue import PromptQueue
from tests.features.people.screen.seat import Seat, seated

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


async def confirmed(seat: Seat) -> list[dict[str, Any]]:
    answer = await seat.answered("t")
    assert answer["status"] == "ok"
    return list(answer["tasks"])


async def test_a_list_is_confirmed_as_it_is(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        for text in ("Write", "the docs", "high · to do · #a,b · #c", "blocked", "Confirm 3 tasks"):
            await seat.until_shown(text)
        await seat.press("y")
        assert (await seat.answered("t"))["remark"] == "fine"
        assert [task["draftId"] for task in await confirmed(seat)] == ["1", "2", "3"]
        assert (await confirmed(seat))[0]["tags"] == ["a,b", "c"]


async def test_tasks_are_moved_and_removed_and_brought_back(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        await seat.press("enter", "alt+down", "J")
        await seat.press("k", "minus")
        await seat.until_said("u brings it back")
        await seat.press("u", "K", "delete")
        await seat.press("y")
        assert [task["title"] for task in await confirmed(seat)] == ["Test", "Write"]


async def test_a_task_is_edited_in_its_fields(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        await seat.press("enter", "p", "s", "e", *" it", "tab", *"all ", "tab", "end", *", new", "enter")
        await seat.until_shown("Write it")
        assert seat.responses == {}
        await seat.press("y")
        assert (await confirmed(seat))[0] == {
            "draftId": "1",
            "title": "Write it",
            "details": "all the docs",
            "priority": "medium",
            "status": "doing",
            "tags": ["a", "b", "c", "new"],
        }


async def test_a_new_task_needs_a_title_and_ctrl_s_sends_what_is_being_typed(queue: PromptQueue, log: Path) -> None:
    await queue.request({"kind": "task_confirm"}, request_id="t")
    async with seated(queue, log) as seat:
        await seat.until_shown("There is no task")
        await seat.press("enter", "plus", "ctrl+s")
        await seat.until_shown("A task needs a title.")
        assert seat.responses == {}
        await seat.press(*"New", "ctrl+s")
        (task,) = await confirmed(seat)
        assert (task["title"], task["priority"], task["status"]) == ("New", "medium", "todo")
        assert task["draftId"]


async def test_esc_closes_the_card_first_and_then_leaves_the_form(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        await seat.press("enter", "enter", "x", "escape")
        await seat.until_shown("Writex")
        await seat.press("escape")
        assert seat.app.focused is not None
        assert seat.app.focused.id == "waiting"


async def test_enter_on_the_last_row_confirms(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        await seat.press("enter", "down", "down", "down", "enter")
        assert len(await confirmed(seat)) == 3


async def test_a_list_is_refused_with_a_remark(queue: PromptQueue, log: Path) -> None:
    await queue.request(TASKS, request_id="t")
    async with seated(queue, log) as seat:
        await seat.press("n", "ctrl+u", *"too much", "enter")
        assert await seat.answered("t") == {"status": "canceled", "remark": "too much"}
