"""How a tool asks: a prompt in the queue, then an answer or the end of the person's time."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handrail.kernel.call import Call
from handrail.kernel.prompts.first_answer import withdraw
from handrail.ports.errors import Conflict
from handrail.ports.prompt_queue import OWN_ORIGIN, Origin, PromptAnswer, PromptQueue

# A person may need long; an agent that does not want to wait says so.
PATIENCE_MS = 24 * 3600 * 1000
_LOST = "Please type it again: your answer couldn't be delivered, and secret values are never stored."


async def ask(
    queue: PromptQueue,
    call: Call,
    prompt: Mapping[str, Any],
    timeout_ms: int | None = None,
    run_id: str | None = None,
) -> PromptAnswer:
    """Three outcomes: ok, canceled, timeout. When the caller goes away, its question is withdrawn.

    A call that is repeated after a crash finds its question, or its answer. The question is asked again if it was
    withdrawn in between, or if a secret was typed while nobody waited for it: such a secret is stored nowhere.
    """
    asked = {**prompt, "source": f"handrail/{call.tool}"}
    for number in itertools.count(1):
        request_id = f"ask_{call.execution_id}" + (f"_{number}" if number > 1 else "")
        await call.progress(f"Waiting for a person's answer (`handrail prompts answer {request_id}`).")
        try:
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000):
                answer, is_found = await _answered(queue, call, asked, request_id, run_id or call.task)
        except TimeoutError:
            return await withdraw(queue, request_id, None)
        except asyncio.CancelledError:
            await asyncio.shield(withdraw(queue, request_id, None))
            raise
        if answer.masked:
            asked["message"] = f"{prompt.get('message', '')}\n\n{_LOST}".strip()
        elif not is_found or answer.response.status != "timeout":
            return answer
    raise AssertionError("there is always another id")


def asked_by(call: Call) -> Origin:
    """A question of handrail's own, put for this agent."""
    return replace(OWN_ORIGIN, by=call.caller.name)


async def _answered(
    queue: PromptQueue, call: Call, asked: Mapping[str, Any], request_id: str, run_id: str | None
) -> tuple[PromptAnswer, bool]:
    """The answer, and whether the question was already in the queue."""
    try:
        answer = await queue.ask(
            asked, request_id=request_id, run_id=run_id, channels=call.channels, origin=asked_by(call)
        )
        return answer, False
    except Conflict as conflict:
        if conflict.details.get("reason") != "taken":
            raise
        return await queue.wait(request_id), True
