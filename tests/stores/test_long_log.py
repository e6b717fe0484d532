"""A queue with a long history: every entry is found by its id, and little of it is kept in memory."""

import tracemalloc
from pathlib import Path

import pytest

from handrail.kernel.prompts.log import PromptLog
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.errors import Conflict
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.prompt_store import prompt_store
from tests.effort import tries
from tests.later_entries import add_later_entries

pytestmark = pytest.mark.trial("long log")

APPROVAL = {"kind": "file_change_confirm", "path": "a.txt"}
LATER = tries(10_000, 1_000_000)
COUNTED = tries(10_000, 100_000)  # measuring memory is slow
BYTES_AN_ENTRY = 24


async def test_prompts_are_found_and_answered_by_id_however_many_came_later(state: Path, log: Path) -> None:
    before = LogPromptQueue(prompt_store(state))
    await before.request(APPROVAL, request_id="approval_a_1")
    await before.respond("approval_a_1", {"status": "ok", "remark": "early"}, by="console:ada")
    await before.request(APPROVAL, request_id="approval_b_1")
    add_later_entries(log, LATER)
    for queue in (before, LogPromptQueue(prompt_store(state))):
        answered_prompt, waiting = await queue.find("approval_a_1"), await queue.find("approval_b_1")
        assert answered_prompt is not None
        assert answered_prompt.answer is not None
        assert answered_prompt.answer.response.remark == "early"
        assert waiting is not None
        assert waiting.is_pending
        assert [each.request_id for each in await queue.pending()] == ["approval_b_1"]
        assert [each.request_id for each in await queue.repeats("approval_a")] == ["approval_a_1"]
        assert (await queue.wait("approval_a_1")).response.remark == "early"
        await queue.find_all([f"later-{number}" for number in range(0, LATER // 2, LATER // 200)])
    receipt = await queue.respond("approval_b_1", {"status": "ok", "remark": "late"})
    assert receipt.warnings == ()
    with pytest.raises(Conflict, match="answered before"):
        await before.respond("approval_b_1", {"status": "canceled"})
    newest = (await before.history(limit=1))[0]
    assert (newest.request_id, newest.place < 2000) == ("approval_b_1", True)
    first = (await before.history(before=5000, limit=100))[0]
    assert first.request_id == "approval_a_1"
    for each in (before, queue):
        await each.close()


def test_a_long_log_takes_a_few_bytes_an_entry(log: Path) -> None:
    add_later_entries(log, COUNTED)
    prompts = PromptLog(JournalFile(log))
    tracemalloc.start()
    try:
        assert prompts.view.pending() == []
        assert len(prompts.view.find_all([f"later-{COUNTED // 4}"])) == 1
        remaining, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    prompts.close()
    assert remaining < COUNTED * BYTES_AN_ENTRY + (1 << 20)
