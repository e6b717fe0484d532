"""A plan on its way to a person: steps out of the model's words, edited and confirmed as a `task_confirm` prompt."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import UNSET

from handrail.contract.errors import Conflict
from handrail.contract.model import Noted, Replied, Turn
from handrail.contract.prompts import PromptAnswer, PromptQueue

_STEP = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?(.+?)\s*$", re.MULTILINE)
_LONGEST_TITLE = 200
_CONFIRMED = "The person confirmed this plan."


def steps_of(text: str) -> list[str]:
    """The items of the last list in it."""
    return [match.group(1) for match in _last_list(text)]


def words_before(text: str) -> str:
    """The steps themselves are shown as what can be edited."""
    listed = _last_list(text)
    return text[: listed[0].start()].strip() if listed else text


def _last_list(text: str) -> list[re.Match[str]]:
    found: list[re.Match[str]] = []
    for match in _STEP.finditer(text):
        if found and text[found[-1].end() : match.start()].strip():
            found.clear()
        found.append(match)
    return found


def request_id_of(reply: Replied) -> str:
    """Asked again after a crash, it is the same question."""
    return f"plan_{reply.id}"


async def confirm(queue: PromptQueue, task_id: str, reply: Replied) -> PromptAnswer:
    """Waits as long as the person needs."""
    request_id, text = request_id_of(reply), reply.text
    prompt = {
        "kind": "task_confirm",
        "title": "Plan",
        "message": words_before(text),
        "source": "handrail/agent",
        "tasks": _tasks(steps_of(text)),
    }
    with suppress(Conflict):
        await queue.request(prompt, request_id=request_id, run_id=task_id)
    return await queue.wait(request_id)


def confirmed(answer: PromptAnswer) -> str:
    """What the model is told of the person's answer."""
    response = answer.response
    remark = "" if response.remark in (UNSET, "") else f"\nThe person remarks: {response.remark}"
    if response.status != "ok":
        return f"The person did not confirm the plan.{remark}"
    tasks = () if response.tasks is UNSET else response.tasks
    listed = "\n".join(f"- [ ] {_step(task)}" for task in tasks)
    return f"{_CONFIRMED} Carry it out now, step by step:\n{listed}{remark}"


def is_confirmation(turn: Turn) -> bool:
    return isinstance(turn, Noted) and turn.text.startswith(_CONFIRMED)


def _step(task: Any) -> str:
    details = "" if task.details in (UNSET, "") else f" ({task.details})"
    return f"{task.title}{details}"


def _tasks(steps: Sequence[str]) -> list[Mapping[str, str]]:
    return [
        {"draftId": f"step-{number}", "title": step[:_LONGEST_TITLE], "details": step[_LONGEST_TITLE:]}
        for number, step in enumerate(steps, 1)
    ]
