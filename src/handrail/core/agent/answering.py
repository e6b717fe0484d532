"""A person who answers in the chat what the agent has asked in the queue: a question, or its plan."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from handrail.contract.errors import Failure
from handrail.contract.model import Replied, Turn
from handrail.contract.prompts import PromptQueue, PromptResponse
from handrail.core.agent.planning import is_of, steps_of
from handrail.core.agent.wishes import last_reply, pending

_QUESTION = "ask_followup_question"


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    request_id: str
    is_plan: bool


async def open_question(queue: PromptQueue, turns: Sequence[Turn]) -> OpenQuestion | None:
    """What the run waits for, if that can be answered in words. By its id: anybody may name a task and a source."""
    reply, asking = last_reply(turns), [f"ask_{use.execution_id}" for use in pending(turns) if use.name == _QUESTION]
    for entry in await queue.pending():
        if reply is not None and is_of(reply, entry.request_id):
            return OpenQuestion(entry.request_id, is_plan=True)
        if any(entry.request_id == own or entry.request_id.startswith(f"{own}_") for own in asking):
            return OpenQuestion(entry.request_id, is_plan=False)
    return None


def answer(question: OpenQuestion, words: str) -> tuple[str, PromptResponse]:
    """Words about a plan are a wish for another one."""
    if question.is_plan:
        return question.request_id, PromptResponse(status="canceled", remark=words)
    return question.request_id, PromptResponse(status="ok", values={"answer": words})


async def withdraw_plan(queue: PromptQueue, reply: Replied | None) -> None:
    """The run was stopped, or something else was said: nobody waits for the answer any more."""
    if reply is None or not steps_of(reply.text):
        return
    for entry in await queue.pending():
        if is_of(reply, entry.request_id):
            with suppress(Failure):
                await queue.respond(entry.request_id, PromptResponse(status="timeout"), by="handrail")
