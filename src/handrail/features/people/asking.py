"""How a tool asks a person: puts a prompt in the queue, then waits for the answer or the timeout."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handrail.kernel.call import Call
from handrail.kernel.prompts.first_answer import withdraw
from handrail.ports.errors import Conflict
from handrail.ports.prompt_queue import OWN_ORIGIN, Origin, PromptAnswer, PromptQueue

# People may take long; a caller that can't wait sets a timeout.
PATIENCE_MS = 24 * 3600 * 1000
_LOST = "Please type it again: your answer couldn't be delivered, and secret values are never stored."


async def ask(
    queue: PromptQueue,
    call: Call,
    prompt: Mapping[str, Any],
    timeout_ms: int | None = None,
    run_id: str | None = None,
) -> PromptAnswer:
    """Returns one of three outcomes: ok, canceled, timeout. If the caller goes away, its question is withdrawn.

    A call that is repeated after a crash finds its question, or its answer. The question is asked again if it was
    withdrawn in between, or if a secret was entered while nobody was waiting, because secrets are never stored.
    """
    question = {**prompt, "source": f"handrail/{call.tool}"}
    for number in itertools.count(1):
        request_id = f"ask_{call.execution_id}" + (f"_{number}" if number > 1 else "")
        await call.progress(f"Waiting for a person's answer (`handrail prompts answer {request_id}`).")
        try:
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000):
                answer, is_found = await _ask_or_wait(queue, call, question, request_id, run_id or call.task)
        except TimeoutError:
            return await withdraw(queue, request_id, None)
        except asyncio.CancelledError:
            await asyncio.shield(withdraw(queue, request_id, None))
            raise
        if answer.masked:
            question["message"] = f"{prompt.get('message', '')}\n\n{_LOST}".strip()
        elif not is_found or answer.response.status != "timeout":
            return answer
    raise AssertionError("unreachable: there is always another id")


def own_origin(call: Call) -> Origin:
    """The origin of handrail's own questions, asked for this agent."""
    return replace(OWN_ORIGIN, by=call.caller.name)


async def _ask_or_wait(
    queue: PromptQueue, call: Call, question: Mapping[str, Any], request_id: str, run_id: str | None
) -> tuple[PromptAnswer, bool]:
    """Returns the answer, and whether the question was already in the queue."""
    try:
        answer = await queue.ask(
            question, request_id=request_id, run_id=run_id, channels=call.channels, origin=own_origin(call)
        )
        return answer, False
    except Conflict as conflict:
        if conflict.details.get("reason") != "taken":
            raise
        return await queue.wait(request_id), True
