"""The agent's questions to the person: a plan to edit and confirm (a `task_confirm` prompt), or a question.

A message in the chat answers it as well.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from handrail.features.agent.turns import last_reply, pending
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.ports.agent import Mode
from handrail.ports.errors import Conflict
from handrail.ports.model import AssistantTurn, Note, Turn
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptAnswer, PromptQueue
from handrail.ports.prompts import PromptResponse

_STEP = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]*)?(.+)")
_LONGEST_TITLE = 200
_QUESTION = "ask_followup_question"
_CONFIRMED = "The person confirmed this plan."


def steps_of(text: str) -> list[str]:
    """The items of the last list in the text."""
    return _last_list(text)[1]


def words_before(text: str) -> str:
    """The text before the list; the steps are shown separately, to be edited."""
    start, steps = _last_list(text)
    return text[:start].strip() if steps else text


def _last_list(text: str) -> tuple[int, list[str]]:
    """Where the last list starts, and its items. Works line by line, because a model's text may be long."""
    start, steps = 0, list[str]()
    is_ended, offset = True, 0
    for line in text.splitlines(keepends=True):
        if stripped := line.strip():
            step = _STEP.fullmatch(stripped)
            if step is not None and is_ended:
                start, steps = offset, []
            if step is not None:
                steps.append(step[1])
            is_ended = step is None
        offset += len(line)
    return start, steps


def request_ids_of(reply: AssistantTurn) -> Iterator[str]:
    """Prompt ids that stay the same after a crash, and change after the prompt was withdrawn, as by a stop."""
    yield f"plan_{reply.id}"
    yield from (f"plan_{reply.id}_{number}" for number in itertools.count(2))


def is_of(reply: AssistantTurn, request_id: str) -> bool:
    return request_id == f"plan_{reply.id}" or request_id.startswith(f"plan_{reply.id}_")


async def confirm(queue: PromptQueue, task_id: str, reply: AssistantTurn) -> PromptAnswer:
    """Waits without a time limit."""
    prompt = {
        "kind": "task_confirm",
        "title": "Plan",
        "message": words_before(reply.text),
        "source": "handrail/agent",
        "tasks": _tasks(steps_of(reply.text)),
    }
    for request_id in request_ids_of(reply):
        try:
            await queue.request(prompt, request_id=request_id, run_id=task_id, origin=OWN_ORIGIN)
        except Conflict as conflict:
            if conflict.details.get("reason") != "taken":
                raise
        answer = await queue.wait(request_id)
        if answer.response.status != "timeout":
            return answer
    raise AssertionError("there is always another id")


def confirmed(answer: PromptAnswer) -> str:
    """What the model reads about the person's answer."""
    response = answer.response
    remark = "" if response.remark in (UNSET, "") else f"\nThe person remarks: {response.remark}"
    if response.status != "ok":
        return f"The person did not confirm the plan.{remark}"
    tasks = () if response.tasks is UNSET else response.tasks
    listed = "\n".join(f"- [ ] {_step(task)}" for task in tasks)
    how = "Carry it out now, step by step, and check off each step as soon as it is done"
    return f"{_CONFIRMED} {how}:\n{listed}{remark}"


def is_confirmation(turn: Turn) -> bool:
    return isinstance(turn, Note) and turn.text.startswith(_CONFIRMED)


def _step(task: Any) -> str:
    details = "" if task.details in (UNSET, "") else f" ({task.details})"
    return f"{task.title}{details}"


def _tasks(steps: Sequence[str]) -> list[Mapping[str, str]]:
    return [
        {"draftId": f"step-{number}", "title": step[:_LONGEST_TITLE], "details": step[_LONGEST_TITLE:]}
        for number, step in enumerate(steps, 1)
    ]


def is_something_left(turns: Sequence[Turn], mode: Mode) -> bool:
    """Whether there is a message without a reply, a tool call without a result, or a plan without an answer."""
    last = turns[-1] if turns else None
    if isinstance(last, AssistantTurn) and not last.uses:
        return mode == "plan" and bool(steps_of(last.text))
    return last is not None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    request_id: str
    is_plan: bool


async def open_question(queue: PromptQueue, turns: Sequence[Turn]) -> OpenQuestion | None:
    """The prompt that the run waits for, if a message can answer it. Found by its id: task and source can be forged."""
    reply, asking = last_reply(turns), [f"ask_{use.execution_id}" for use in pending(turns) if use.name == _QUESTION]
    for entry in await queue.pending():
        if reply is not None and is_of(reply, entry.request_id):
            return OpenQuestion(entry.request_id, is_plan=True)
        if any(entry.request_id == own or entry.request_id.startswith(f"{own}_") for own in asking):
            return OpenQuestion(entry.request_id, is_plan=False)
    return None


def answer(question: OpenQuestion, words: str) -> tuple[str, PromptResponse]:
    """A message about a plan asks for another plan."""
    if question.is_plan:
        return question.request_id, PromptResponse(status="canceled", remark=words)
    return question.request_id, PromptResponse(status="ok", values={"answer": words})


async def withdraw_plan(queue: PromptQueue, reply: AssistantTurn | None) -> None:
    """Called when the run was stopped or got another message, and nobody waits for the answer any more."""
    if reply is None or not steps_of(reply.text):
        return
    for entry in await queue.pending():
        if is_of(reply, entry.request_id):
            await try_withdraw(queue, entry.request_id)
