"""Asks a question on several channels at once; the first answer wins and is in the log.

An answer on a channel is written as the prompt's response, so everybody who waits on the queue gets it. An answer that
breaks the prompt's rules or comes too late is ignored.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from handrail.ports.errors import Conflict, Failure, InvalidParams, NotFound
from handrail.ports.presence import PresenceNeeded, WordNeeded
from handrail.ports.prompt_queue import AnswerChannel, PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse

ANSWERED = "answered"
"""The cancellation message for a channel when the answer came from elsewhere."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_channels(queue: PromptQueue, request_id: str, channels: Sequence[AnswerChannel]) -> AsyncIterator[None]:
    """While inside, the channels are asked too; on leaving, waits until each has dropped the question."""
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
    """Answers with a timeout, unless a person has answered in the meantime; then that answer counts."""
    withdrawn = PromptResponse(status="timeout")
    try:
        await queue.respond(request_id, withdrawn, by=by)
    except Conflict as conflict:
        if conflict.details.get("reason") != "answered":
            raise
        return await queue.wait(request_id)
    except NotFound:
        pass  # it never reached the queue
    return PromptAnswer(request_id, withdrawn)


async def try_withdraw(queue: PromptQueue, request_id: str) -> None:
    """Withdraws a question if that is possible."""
    with suppress(Failure):
        await queue.respond(request_id, PromptResponse(status="timeout"), by="handrail")


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Waits for all tasks, even if we are cancelled again: dropping the question may take them a moment."""
    stop: asyncio.CancelledError | None = None
    while running := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(running)
        except asyncio.CancelledError as cancelled:
            stop = cancelled
    if stop is not None:
        raise stop


async def _answer(queue: PromptQueue, request_id: str, side: AnswerChannel) -> None:
    """Asks at the terminal again if an answer needs more proof than the terminal provides."""
    try:
        async with side.turn():
            while (response := await side.answer()) is not None:
                try:
                    if await _is_sent(queue, request_id, response, side):
                        return
                except PresenceNeeded as needed:
                    logger.warning("%s %s", needed.message, needed.hint)
                    if side.confirm is None:
                        return
    except Conflict:
        return
    except InvalidParams as wrong:
        logger.warning("what %s answered to %s breaks the rules: %s", side.by, request_id, wrong.message)
    except Failure as failure:
        logger.warning("%s could not be asked about %s: %s", side.by, request_id, failure.message)


async def _is_sent(queue: PromptQueue, request_id: str, response: PromptResponse, side: AnswerChannel) -> bool:
    """False if the answer needed the typed word and the person didn't type it."""
    if side.confirm is None:
        await queue.respond(request_id, response, by=side.by)
        return True
    try:
        await queue.respond(request_id, response, by=side.by, proof="terminal")
    except WordNeeded as needed:
        if not await side.confirm(response):
            return False
        await queue.respond(request_id, response, by=side.by, proof=needed.proof)
    return True
