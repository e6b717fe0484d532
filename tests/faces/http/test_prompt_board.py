"""Pages of the queue reach back to the very first entry."""

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.features.people.routes.prompt_board import PromptBoard, State
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import LOG, prompt_store
from tests.later_entries import add_later_entries

COUNT = 120


def request(number: int) -> dict[str, Any]:
    prompt = {"kind": "result", "title": f"Question {number}", "markdown": "x" * (number % 7) * 100}
    return {**head(number), "action": "request", "prompt": prompt}


def response(number: int, status: str = "ok") -> dict[str, Any]:
    return {**head(number), "action": "response", "response": {"status": status}}


def head(number: int) -> dict[str, Any]:
    return {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "requestId": f"r{number}"}


def write(state: Path, entries: list[dict[str, Any]]) -> None:
    with (state / LOG).open("a") as log:
        log.writelines(json.dumps(entry) + "\n" for entry in entries)


async def all_pages(board: PromptBoard, state: State, limit: int) -> list[list[dict[str, Any]]]:
    pages, before = [], None
    while True:
        page = await board.page(state, limit, before)
        pages.append(page["entries"])
        before = page.get("next")
        if before is None:
            return pages


def ids(entries: list[dict[str, Any]], action: str) -> list[str]:
    return [entry["requestId"] for entry in entries if entry["action"] == action]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("limit", [1, 10, 500])
async def test_pages_lead_back_to_the_very_first_answer(limit: int, state: Path) -> None:
    write(state, [entry for number in range(COUNT) for entry in (request(number), response(number))])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        pages = await all_pages(board, "answered", limit)
    await queue.close()
    expected = [f"r{number}" for number in range(COUNT)]
    assert [id for page in reversed(pages) for id in ids(page, "response")] == expected
    assert all(set(ids(page, "request")) == set(ids(page, "response")) for page in pages)
    offsets = [entry["offset"] for page in reversed(pages) for entry in page if entry["action"] == "response"]
    assert offsets == sorted(set(offsets))


async def test_pages_of_everything_hold_each_entry_once(state: Path) -> None:
    write(state, [entry for number in range(COUNT) for entry in (request(number), response(number))])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        pages = await all_pages(board, "all", 33)
    await queue.close()
    offsets = [entry["offset"] for page in reversed(pages) for entry in page]
    assert offsets == sorted(set(offsets))
    assert len(offsets) == 2 * COUNT


async def test_a_request_that_was_answered_much_later_comes_with_its_answer(state: Path) -> None:
    write(state, [request(number) for number in range(COUNT)])
    write(state, [response(number) for number in range(COUNT)])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        pages = await all_pages(board, "answered", 10)
    await queue.close()
    assert all(set(ids(page, "request")) == set(ids(page, "response")) for page in pages)
    assert sum(len(ids(page, "response")) for page in pages) == COUNT


async def test_old_pending_entries_are_listed_in_order(state: Path) -> None:
    write(state, [request(number) for number in range(5)])
    write(state, [entry for number in range(10, COUNT) for entry in (request(number), response(number))])
    write(state, [request(1000)])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        pages = await all_pages(board, "pending", 2)
    await queue.close()
    assert [id for page in reversed(pages) for id in ids(page, "request")] == ["r0", "r1", "r2", "r3", "r4", "r1000"]


async def test_junk_and_answers_to_nothing_hide_no_entry(state: Path) -> None:
    write(state, [request(0), response(0), response(5000)])
    with (state / LOG).open("a") as log:
        log.write("no JSON\n" * 50_000)
    write(state, [response(6000), request(1), response(1), response(1, "canceled"), request(2), response(2)])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        pages = await all_pages(board, "answered", 1)
    await queue.close()
    resolved = [id for page in reversed(pages) for id in ids(page, "request")]
    assert list(dict.fromkeys(resolved)) == ["r0", "r1", "r2"]
    first = min((entry["offset"], entry) for page in pages for entry in page if entry["requestId"] == "r1")
    assert first[1]["action"] == "request"


async def test_a_late_answer_comes_with_the_request_of_thousands_of_entries_ago(state: Path) -> None:
    write(state, [request(0), request(1)])
    add_later_entries(state / LOG, 24_000)
    write(state, [response(0)])
    queue = LogPromptQueue(prompt_store(state))
    board = PromptBoard(queue)
    async with board.run():
        resolved, pending = await board.page("answered", 1, None), await board.page("pending", 1, None)
    await queue.close()
    assert [(entry["action"], entry["requestId"]) for entry in resolved["entries"]] == [
        ("request", "r0"),
        ("response", "r0"),
    ]
    assert [(entry["requestId"], entry["caller"]) for entry in pending["entries"]] == [("r1", "unknown")]
