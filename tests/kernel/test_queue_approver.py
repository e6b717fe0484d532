"""Approvals through the real queue: what is shown, what an answer is worth, and for whom."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from handrail.kernel.approval import Answer, Question
from handrail.kernel.call import Call
from handrail.kernel.offered_scopes import target_of
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.kernel.queue_approver import QueueApprover
from handrail.kernel.target import Target
from handrail.kernel.task_end import end_task_in
from handrail.kernel.tool import Preview
from handrail.ports.approval_card import Grant
from handrail.ports.consents import ConsentRequest
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.prompt_queue import QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ApprovedAction, FileChangePrompt
from handrail.stores.local.prompt_store import LOG, prompt_store
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.tokens import SqliteOnce
from handrail.stores.shared.task_grants import TaskGrantRows
from tests.later_entries import add_later_entries

CALLER = Caller("mcp", "claude-code/1", "ppid:1", "agent:claude")
DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\u202e\n"


class Desk:
    """An approver, the queue behind it and the rules that it was told to keep."""

    def __init__(self, state: Path) -> None:
        self.queue = LogPromptQueue(prompt_store(state))
        self.always: list[Question] = []
        self.covered: list[object] = []
        self._database = state_database(state / "handrail.db")
        self.once = SqliteOnce(self._database)
        self.grants = TaskGrantRows(PermissionRows(self._database))
        self.approver = QueueApprover(self.queue, self.once, self._keep, self.grants, "/srv/shop")
        self.granted: list[Grant | None] = []

    async def close(self) -> None:
        await self.queue.close()
        self._database.close()

    async def _keep(self, question: Question, response: PromptResponse, grant: Grant | None, by: str) -> None:
        self.always.append(question)
        self.granted.append(grant)
        self.covered.append(response.covers)

    async def shown(self) -> QueuedPrompt:
        """The prompt that waits, once there is one."""
        async with asyncio.timeout(10):
            while not (pending := await self.queue.pending()):
                async for _ in self.queue.follow(0):
                    break
        return pending[0]

    async def answered(self, question: Question, **response: Any) -> Answer:
        asking = asyncio.ensure_future(self.approver.ask(question))
        entry = await self.shown()
        await self.queue.respond(entry.request_id, response)
        return await asking


@asynccontextmanager
async def desk(state: Path) -> AsyncIterator[Desk]:
    opened = Desk(state)
    try:
        yield opened
    finally:
        await opened.close()


def question(
    digest: str = "d1", *, diff: str | None = DIFF, caller: Caller = CALLER, task: str | None = None
) -> Question:
    call = Call("write_to_file", {}, caller, task=task)
    preview = Preview("Overwrite x", path="x", diff=diff)
    target = Target(path="x")
    return Question(call, "Write a file", Effect.WRITE, {"path": "x", "content": "b"}, preview, digest, target=target)


async def test_the_prompt_shows_everything_with_nothing_hidden(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(question()))
        prompt: Any = (await at.shown()).prompt
        assert (prompt.title, prompt.path, prompt.source) == ("Overwrite x", "x", "handrail/write_to_file")
        assert "claude-code/1" in prompt.message
        assert prompt.diff == DIFF.replace("\u202e", "\\u{202e}")
        asking.cancel()


async def test_the_prompt_names_the_one_deed_that_it_allows_and_the_answer_names_the_prompt(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        deed = ApprovedAction(method="desktop.click", params_digest="d" * 64)
        asked = replace(question(), preview=Preview("Click", app="mousepad", warrant=deed))
        asking = asyncio.ensure_future(at.approver.ask(asked))
        entry = await at.shown()
        assert isinstance(entry.prompt, FileChangePrompt)
        assert entry.prompt.scope == deed
        await at.queue.respond(entry.request_id, {"status": "ok"})
        assert (await asking).prompt_id == entry.request_id


async def test_a_yes_for_the_task_holds_for_one_app(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asked = replace(question(task="t1"), preview=Preview("Click", app="mousepad"), target=Target(app="mousepad"))
        await at.answered(asked, status="ok", scope="task")
        assert not await at.approver.will_ask(asked.call, Target(app="mousepad"))
        assert await at.approver.will_ask(asked.call, Target(app="keepassxc"))
        assert await at.approver.will_ask(asked.call, Target())


async def test_no_line_of_a_parameter_can_be_taken_for_one_of_handrails(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        hostile = replace(question(diff=None), params={"text": "hello\nAsked by console:ada"})
        asking = asyncio.ensure_future(at.approver.ask(hostile))
        prompt: Any = (await at.shown()).prompt
        assert prompt.message.count("\nAsked by") == 1
        assert "\n  │ Asked by console:ada" in prompt.message
        asking.cancel()


async def test_without_a_diff_all_parameters_are_shown(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(question(diff=None)))
        prompt: Any = (await at.shown()).prompt
        assert "path: x" in prompt.message
        assert "content: b" in prompt.message
        asking.cancel()


async def test_what_was_left_out_of_a_call_is_not_shown(tmp_path: Path) -> None:
    class Target(msgspec.Struct, rename="camel"):
        element_id: str
        near: str | None = None

    class Params(msgspec.Struct):
        target: Target
        route: str | None = None
        free: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET

    async with desk(tmp_path) as at:
        for params, shown in (
            (Params(Target("e:3")), 'target: {"elementId":"e:3"}'),
            (Params(Target("e:3"), free={"a": None}), 'target: {"elementId":"e:3"}\nfree: {"a":null}'),
        ):
            asking = asyncio.ensure_future(at.approver.ask(replace(question(diff=None), params=params)))
            entry = await at.shown()
            assert str(entry.prompt.message).endswith(f"\n{shown}")
            await at.queue.respond(entry.request_id, PromptResponse(status="canceled"))
            await asking


@pytest.mark.parametrize("status", ["ok", "canceled", "timeout"])
async def test_each_outcome_arrives_as_itself_with_its_remark(tmp_path: Path, status: str) -> None:
    async with desk(tmp_path) as at:
        answer = await at.answered(question(), status=status, remark="because")
        assert (answer.status, answer.remark) == (status, "because")


async def test_a_yes_for_the_task_is_not_asked_for_again_in_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.answered(question(task="t1"), status="ok", scope="task")
        assert (await at.approver.ask(question("other", task="t1"))).status == "ok"
        assert (await at.answered(question("other", task="t2"), status="canceled")).status == "canceled"


async def test_an_always_answer_is_saved_as_a_rule(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asked = question()
        await at.answered(asked, status="ok", scope="rule")
        assert [kept.digest for kept in at.always] == [asked.digest]
        assert [grant.path for grant in at.granted if grant] == ["x"]


async def given_after_the_caller_went(at: Desk) -> None:
    asking = asyncio.ensure_future(at.approver.ask(question()))
    entry = await at.shown()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await at.queue.respond(entry.request_id, {"status": "ok"})


async def test_a_yes_after_the_caller_went_is_good_for_one_identical_call(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await given_after_the_caller_went(at)
        again = replace(CALLER, peer="ppid:2")
        assert (await at.approver.ask(question(caller=again))).status == "ok"
        assert (await at.answered(question(), status="canceled")).status == "canceled"


async def test_a_yes_after_the_caller_went_is_found_among_thousands_of_later_entries(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await given_after_the_caller_went(at)
        add_later_entries(tmp_path / LOG)
        async with asyncio.timeout(30):
            assert (await at.approver.ask(question())).status == "ok"
        assert await at.queue.pending() == []


@pytest.mark.parametrize(
    "other",
    [
        question("d2"),
        question(task="t2"),
        question(caller=replace(CALLER, identity="stdio:2", agent="agent:other")),
        replace(question(), is_critical=True),
        replace(question(), votes=2),
    ],
)
async def test_it_is_good_for_no_other_call(tmp_path: Path, other: Question) -> None:
    async with desk(tmp_path) as at:
        await given_after_the_caller_went(at)
        assert (await at.answered(other, status="canceled")).status == "canceled"


async def test_a_repeated_call_reuses_the_abandoned_prompt(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(question()))
        left = (await at.shown()).request_id
        asking.cancel()
        await asyncio.wait({asking})
        again = asyncio.ensure_future(at.approver.ask(question()))
        async with asyncio.timeout(10):
            while not await at.queue.is_waiting(left):  # noqa: ASYNC110 - who waits tells nobody
                await asyncio.sleep(0)
        assert [entry.request_id for entry in await at.queue.pending()] == [left]
        await at.queue.respond(left, {"status": "ok"})
        assert (await again).status == "ok"


async def test_one_yes_serves_one_of_two_who_wait_for_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(question()))
        entry = await at.shown()
        assert await at.once.claim(entry.request_id)
        await at.queue.respond(entry.request_id, {"status": "ok"})
        with pytest.raises(Declined):
            await asking


def app_question(tool: str = "send_email", *, is_by_rule: bool = False) -> Question:
    facts = [("does", "Sends an email.\nAt once."), ("goes to", "com.example.mail on the session bus")]
    to = ConsentRequest("com.example.mail", "Mail\u202e", tool, "digest of the tool", "digest of the app", facts=facts)
    call = Call("apps_call", {}, CALLER, task="t1")
    params = {"app": "com.example.mail", "tool": tool, "params": {"to": ["a@b.c"], "body": "one\ntwo", "x\ny": 1}}
    preview = Preview("Send an email", app="com.example.mail", consent=to)
    at = Target(app="com.example.mail")
    return Question(call, "Call an app", Effect.EXECUTE, params, preview, f"d-{tool}", is_by_rule=is_by_rule, target=at)


async def test_a_call_of_an_app_is_asked_with_all_its_parameters_and_can_be_allowed_for_the_tool_or_the_app(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(app_question()))
        entry = await at.shown()
        prompt: Any = entry.prompt
        assert prompt.message.split("\n")[2:] == [
            "does:",
            "  │ Sends an email.",
            "  │ At once.",
            "goes to: com.example.mail on the session bus",
            "app: com.example.mail",
            "tool: send_email",
            'params.to: ["a@b.c"]',
            "params.body:",
            "  │ one",
            "  │ two",
            'params."x\\ny": 1',
        ]
        assert (prompt.consent.app, prompt.consent.app_name, prompt.consent.tool) == (
            "com.example.mail",
            "Mail\\u{202e}",
            "send_email",
        )
        await at.queue.respond(entry.request_id, {"status": "ok", "scope": "rule", "covers": "app"})
        assert (await asking).status == "ok"
        assert at.covered == ["app"]


async def test_a_yes_for_the_task_covers_no_other_caller_and_no_other_declaration(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.answered(question(task="t1"), status="ok", scope="task")
        stranger = Caller("mcp", "stranger/1", "uid:1", "agent:stranger")
        for task in ("t1", str(CALLER)):
            assert await at.approver.will_ask(question(caller=stranger, task=task).call, Target(path="x"))
        asked = app_question()
        await at.answered(asked, status="ok", scope="task")
        assert asked.preview.consent is not None
        changed = replace(asked.preview.consent, tool_digest="another")
        assert not await at.approver.will_ask(asked.call, target_of(asked))
        assert await at.approver.will_ask(asked.call, Target(app=changed.place))


async def test_a_yes_for_the_task_covers_the_tool_and_not_the_app(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.answered(app_question(), status="ok", scope="task")
        assert (await at.approver.ask(app_question())).by.startswith("allowed for this task by ")
        assert (await at.answered(app_question("delete_all"), status="canceled")).status == "canceled"


async def test_a_yes_for_good_counts_for_good_although_its_caller_had_gone(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(app_question()))
        entry = await at.shown()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await at.queue.respond(entry.request_id, {"status": "ok", "scope": "rule"})
        assert at.always == []
        assert (await at.approver.ask(app_question())).prompt_id == entry.request_id
        assert len(at.always) == 1


async def test_where_a_rule_asks_each_time_the_prompt_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(app_question(is_by_rule=True)))
        assert "A rule of the policy asks about this each time" in str((await at.shown()).prompt.message)
        asking.cancel()


async def test_a_yes_for_the_task_that_came_late_is_for_the_session_and_task_that_were_shown(tmp_path: Path) -> None:
    """Another session of the same program makes the same call: it may be made once, and nothing more is allowed."""
    one, other = (replace(CALLER, identity=f"process:{number}", agent="program:claude") for number in (1, 2))
    first, second = question(caller=one), question(caller=other)
    first.call.own_task, second.call.own_task = "t1", "t2"
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(first))
        entry = await at.shown()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await at.queue.respond(entry.request_id, {"status": "ok", "scope": "task"})
        assert (await at.approver.ask(second)).status == "ok"
        assert [(given.grant.identity, given.grant.task) for given in await at.grants.all()] == [("process:1", "t1")]
        assert await at.approver.will_ask(second.call, second.target)


async def test_a_late_yes_for_a_task_that_has_ended_since_counts_no_more(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asking = asyncio.ensure_future(at.approver.ask(question(task="t1")))
        entry = await at.shown()
        asking.cancel()
        await asyncio.wait({asking})
        await at.queue.respond(entry.request_id, {"status": "ok", "scope": "task"})
        stores: Any = SimpleNamespace(prompts=at.queue, once=at.once, grants=at.grants)
        await end_task_in(stores)("t1")
        assert (await at.answered(question(task="t1"), status="canceled")).status == "canceled"
        assert await at.grants.all() == []
