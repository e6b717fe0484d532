"""A question that is put in several places at once: the first answer wins, and the log knows it.

What a place answers is written as the prompt's response, so whoever waits for the queue hears it there. An answer
that breaks the prompt's rules, or comes too late, leaves everything as it was.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from handrail.ports.errors import Conflict, Failure, InvalidParams, NotFound
from handrail.ports.presence import PresenceNeeded
from handrail.ports.prompt_queue import AnswerChannel, PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse

ANSWERED = "answered"
"""The message with which a place is told that somebody else was first."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_channels(queue: PromptQueue, request_id: str, channels: Sequence[AnswerChannel]) -> AsyncIterator[None]:
    """While inside, the other places are asked as well; at the end each of them has let go of the question."""
    asked = [asyncio.create_task(_answer(queue, request_id, side)) for side in channels]
    message = None
    try:
        yield
        message = ANSWERED
    finally:
        for task in asked:
            task.cancel(message)
        await _ended(asked)


async def withdraw(queue: PromptQueue, request_id: str, by: str | None = "handrail") -> PromptAnswer:
    """Answers for a person who took too long. Whoever answered in the last moment was first, and that counts."""
    withdrawn = PromptResponse(status="timeout")
    try:
        await queue.respond(request_id, withdrawn, by=by)
    except Conflict as conflict:
        if conflict.details.get("reason") != "answered":
            raise
        return await queue.wait(request_id)
    except NotFound:
        pass  # it never got as far as the queue
    return PromptAnswer(request_id, withdrawn)


async def try_withdraw(queue: PromptQueue, request_id: str) -> None:
    """Withdraws a question whose answer nobody waits for any more, as far as that is possible."""
    with suppress(Failure):
        await queue.respond(request_id, PromptResponse(status="timeout"), by="handrail")


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """However often we are cancelled meanwhile, each is cancelled once: letting go may take it a moment."""
    stop: asyncio.CancelledError | None = None
    while running := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(running)
        except asyncio.CancelledError as cancelled:
            stop = cancelled
    if stop is not None:
        raise stop


async def _answer(queue: PromptQueue, request_id: str, side: AnswerChannel) -> None:
    """Who sits at the terminal is asked again after an answer that needs more proof than the terminal gives."""
    try:
        while (response := await side.answer()) is not None:
            try:
                await queue.respond(request_id, response, by=side.by, proof="terminal" if side.is_terminal else None)
            except PresenceNeeded as needed:
                logger.warning("%s %s", needed.message, needed.hint)
                if side.is_terminal:
                    continue
            return
    except Conflict:
        return
    except InvalidParams as wrong:
        logger.warning("what %s answered to %s breaks the rules: %s", side.by, request_id, wrong.message)
    except Failure as failure:
        logger.warning("%s could not be asked about %s: %s", side.by, request_id, failure.message)
