"""Keeps the board as the queue is: at the start, with every line that is added, and after trouble."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from handrail.features.people.cli.screen.board import MOST_ANSWERED, Board
from handrail.ports.errors import Failure
from handrail.ports.prompts import PromptQueue

_AGAIN_AFTER = 1.0
_LOOK_FOR_CALLERS_EVERY = 2.0

Changed = Callable[[], None]


async def follow(queue: PromptQueue, board: Board, changed: Changed, failed: Callable[[Failure], None]) -> None:
    """Without end. `changed` is called after each change, `failed` when the queue can't be read for now."""
    while True:
        try:
            await _load_and_follow(queue, board, changed)
        except Failure as failure:
            failed(failure)
            await asyncio.sleep(_AGAIN_AFTER)


async def watch_callers(queue: PromptQueue, board: Board, changed: Changed) -> None:
    """Nothing is written when a caller goes away: it has to be looked for. So has a late name."""
    while True:
        await asyncio.sleep(_LOOK_FOR_CALLERS_EVERY)
        has_late_names = await _name_answerers(queue, board)
        board.unnamed.clear()
        if await look_for_callers(queue, board) or has_late_names:
            changed()


async def look_for_callers(queue: PromptQueue, board: Board) -> bool:
    """Whether any mark has changed."""
    has_changed = False
    for row in board.waiting:
        is_gone = not await queue.is_waiting(row.id)
        has_changed |= is_gone != row.is_caller_gone
        row.is_caller_gone = is_gone
    return has_changed


async def _load_and_follow(queue: PromptQueue, board: Board, changed: Changed) -> None:
    """Pending first: what is answered meanwhile is among the newest entries read after it, or comes later."""
    pending, newest = await queue.pending(), await queue.entries(2 * MOST_ANSWERED)
    board.load(pending, newest.entries)
    await _name_answerers(queue, board)
    await look_for_callers(queue, board)
    changed()
    async with aclosing(queue.follow(newest.position)) as pages:
        async for page in pages:
            if page.is_restart:
                return
            board.receive(page.entries)
            await _name_answerers(queue, board)
            await look_for_callers(queue, board)
            changed()


async def _name_answerers(queue: PromptQueue, board: Board) -> bool:
    """Whether a name was found."""
    found = await queue.answered_by(board.unnamed) if board.unnamed else {}
    board.note_answerers(found)
    board.unnamed -= found.keys()
    return bool(found)
