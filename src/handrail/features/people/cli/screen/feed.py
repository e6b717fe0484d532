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
    waiting = await queue.still_waiting([row.id for row in board.waiting])
    changed = [row for row in board.waiting if row.is_caller_gone is (row.id in waiting)]
    for row in changed:
        row.is_caller_gone = not row.is_caller_gone
    return bool(changed)


async def _load_and_follow(queue: PromptQueue, board: Board, changed: Changed) -> None:
    """The position first: what happens while the queue is read comes once more, which does no harm."""
    position = (await queue.entries(0)).position
    shown = await queue.find_all([row.id for row in board.waiting])
    board.load([*shown.values(), *await queue.history(limit=MOST_ANSWERED), *await queue.pending()])
    await _look(queue, board, changed)
    async with aclosing(queue.follow(position)) as pages:
        async for page in pages:
            if page.is_restart:
                return
            ids = dict.fromkeys(entry.request_id for entry in page.entries)
            board.receive((await queue.find_all(ids)).values())
            await _look(queue, board, changed)


async def _look(queue: PromptQueue, board: Board, changed: Changed) -> None:
    await _name_answerers(queue, board)
    await look_for_callers(queue, board)
    changed()


async def _name_answerers(queue: PromptQueue, board: Board) -> bool:
    """Whether a name was found."""
    found = await queue.answered_by(board.unnamed) if board.unnamed else {}
    board.note_answerers(found)
    board.unnamed -= found.keys()
    return bool(found)
