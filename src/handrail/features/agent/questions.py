"""The agent's questions to the person: plans to edit and confirm (`task_confirm` prompts), and other questions.

A message in the chat answers them, too.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from handrail.features.agent.turns import last_reply, pending_calls
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.ports.agent import Mode
from handrail.ports.errors import Conflict
from handrail.ports.model import AssistantTurn, Note, Turn
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse

_STEP = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]*)?(.+)")
_MAX_TITLE = 200
_QUESTION = "ask_followup_question"
_CONFIRMATION = "The person confirmed this plan."


def steps_of(text: str) -> list[str]:
    """The items of the text's last list."""
    return _last_list(text)[1]


def text_before_steps(text: str) -> str:
    """The text before the steps, which are shown separately, to be edited."""
    start, steps = _last_list(text)
    return text[:start].strip() if steps else text


def _last_list(text: str) -> tuple[int, list[str]]:
    """Where the last list starts, and its items. Reads line by line, because a model's text may be long."""
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
    """The ids for a plan's prompts: the same one after a crash, the next one once the prompt was withdrawn."""
    yield f"plan_{reply.id}"
    yield from (f"plan_{reply.id}_{number}" for number in itertools.count(2))


def is_plan_prompt(reply: AssistantTurn, request_id: str) -> bool:
    return request_id == f"plan_{reply.id}" or request_id.startswith(f"plan_{reply.id}_")


async def confirm(queue: PromptQueue, task_id: str, reply: AssistantTurn) -> PromptAnswer:
    """Asks the person to confirm the reply's plan. Waits without a time limit."""
    prompt = {
        "kind": "task_confirm",
        "title": "Plan",
        "message": text_before_steps(reply.text),
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


def answer_note(answer: PromptAnswer) -> str:
    """The note to the model about the person's answer."""
    response = answer.response
    remark = "" if response.remark in (UNSET, "") else f"\nThe person remarks: {response.remark}"
    if response.status != "ok":
        return f"The person did not confirm the plan.{remark}"
    tasks = () if response.tasks is UNSET else response.tasks
    listed = "\n".join(f"- [ ] {_step(task)}" for task in tasks)
    how = "Carry it out now, step by step, and check off each step as soon as it is done"
    return f"{_CONFIRMATION} {how}:\n{listed}{remark}"


def is_confirmation(turn: Turn) -> bool:
    return isinstance(turn, Note) and turn.text.startswith(_CONFIRMATION)


def _step(task: Any) -> str:
    details = "" if task.details in (UNSET, "") else f" ({task.details})"
    return f"{task.title}{details}"


def _tasks(steps: Sequence[str]) -> list[Mapping[str, str]]:
    return [
        {"draftId": f"step-{number}", "title": step[:_MAX_TITLE], "details": step[_MAX_TITLE:]}
        for number, step in enumerate(steps, 1)
    ]


def has_unfinished_work(turns: Sequence[Turn], mode: Mode) -> bool:
    """Whether a message has no reply, a tool call has no result or a plan has no answer."""
    last = turns[-1] if turns else None
    if isinstance(last, AssistantTurn) and not last.uses:
        return mode == "plan" and bool(steps_of(last.text))
    return last is not None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    request_id: str
    is_plan: bool


async def open_question(queue: PromptQueue, turns: Sequence[Turn]) -> OpenQuestion | None:
    """The prompt that the run waits for, if a message can answer it. Matched by id: task and source can be forged."""
    reply, own_ids = (
        last_reply(turns),
        [f"ask_{use.execution_id}" for use in pending_calls(turns) if use.name == _QUESTION],
    )
    for entry in await queue.pending():
        if reply is not None and is_plan_prompt(reply, entry.request_id):
            return OpenQuestion(entry.request_id, is_plan=True)
        if any(entry.request_id == own or entry.request_id.startswith(f"{own}_") for own in own_ids):
            return OpenQuestion(entry.request_id, is_plan=False)
    return None


def answer(question: OpenQuestion, text: str) -> tuple[str, PromptResponse]:
    """The prompt's id and a person's message as its answer. A message about a plan asks for another plan."""
    if question.is_plan:
        return question.request_id, PromptResponse(status="canceled", remark=text)
    return question.request_id, PromptResponse(status="ok", values={"answer": text})


async def withdraw_plan(queue: PromptQueue, reply: AssistantTurn | None) -> None:
    """Called when the run was stopped or got another message, so that it no longer waits for the answer."""
    if reply is None or not steps_of(reply.text):
        return
    for entry in await queue.pending():
        if is_plan_prompt(reply, entry.request_id):
            await try_withdraw(queue, entry.request_id)
