"""Ends what was allowed for a task when the task ends, also what an open or unused answer would still allow."""

from collections.abc import Awaitable, Callable, Iterable

from msgspec import UNSET

from handrail.kernel.call import Call
from handrail.kernel.gate import EndTask
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.ports.prompt_queue import QueuedPrompt, own_prompts
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.stores import Stores


def end_caller_task_in(stores: Stores) -> EndTask:
    """For a call that has ended its caller's task."""

    async def end_task(call: Call) -> None:
        task = call.task or call.own_task
        if task is not None:
            await _end_questions(stores, task)
        await stores.grants.end_for(call.caller.identity, task)

    return end_task


def end_task_in(stores: Stores) -> Callable[[str], Awaitable[None]]:
    """For a task that a person has ended."""

    async def end_task(task: str) -> None:
        await _end_questions(stores, task)
        await stores.grants.end_task(task)

    return end_task


async def _end_questions(stores: Stores, task: str) -> None:
    """Withdraws questions that offer a yes for the task, and uses up such answers that nobody has used yet."""
    pending = await own_prompts(stores.prompts, _offering(await stores.prompts.pending(), task))
    for each in pending:
        await try_withdraw(stores.prompts, each.request_id)
    answered = await own_prompts(stores.prompts, _offering(await stores.prompts.history(), task))
    for each in answered:
        if each.answer is not None and each.answer.response.scope == "task":
            await stores.once.claim(each.request_id)


def _offering(prompts: Iterable[QueuedPrompt], task: str) -> list[QueuedPrompt]:
    return [
        each
        for each in prompts
        if isinstance(each.prompt, FileChangePrompt)
        and any(offer.grant is not UNSET and offer.grant.task == task for offer in each.prompt.offers or ())
    ]
