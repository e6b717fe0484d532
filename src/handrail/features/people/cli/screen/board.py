"""The questions that are waiting, their order, and which one is shown. Independent of terminals.

Only the person's own move changes which question is shown or removes rows: a question that was answered elsewhere
stays in its place, marked, until the person moves on.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from msgspec import UNSET

from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.ports.approval_card import Scope
from handrail.ports.errors import Failure
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import CallerState, Origin, PromptQueue, QueuedPrompt, caller_state
from handrail.ports.prompts import FileChangePrompt

MAX_ANSWERED = 1000


@dataclass(slots=True)
class Row:
    """One question and its outcome."""

    entry: RequestEntry
    answer: ResponseEntry | None = None
    by: str | None = None
    caller: CallerState = "waiting"
    is_withdrawn: bool = False
    is_mine: bool = False
    is_sending: bool = False
    origin: Origin | None = None
    is_warned: bool = False
    """The person has been warned that they can't see what they would allow."""

    @property
    def is_unseen(self) -> bool:
        prompt = self.entry.prompt
        return isinstance(prompt, FileChangePrompt) and prompt.unseen is not UNSET

    @property
    def id(self) -> str:
        return self.entry.request_id

    @property
    def is_settled(self) -> bool:
        return self.answer is not None or self.is_mine or self.is_withdrawn

    @property
    def is_approval(self) -> bool:
        """Whether the gate waits for it: only such an approval can allow more than one call."""
        is_own = self.origin is not None and self.origin.is_own
        return is_own and isinstance(self.entry.prompt, FileChangePrompt) and self.id.startswith(APPROVAL_PREFIX)

    def offers(self, scope: Scope) -> bool:
        """Whether the person may allow this scope."""
        prompt = self.entry.prompt
        if not self.is_approval or not isinstance(prompt, FileChangePrompt):
            return False
        return any(offer.scope == scope for offer in prompt.offers or ()) or (scope == "rule" and self.is_app_call)

    @property
    def is_app_call(self) -> bool:
        """Whether an app's tool is called; all of the app's tools can then be allowed."""
        prompt = self.entry.prompt
        return self.is_approval and isinstance(prompt, FileChangePrompt) and prompt.consent is not UNSET

    @property
    def has_parts(self) -> bool:
        """Whether only parts of it can be allowed."""
        return isinstance(self.entry.prompt, FileChangePrompt) and bool(self.entry.prompt.parts)

    @property
    def can_cancel(self) -> bool:
        return self.entry.prompt.allow_cancel is not False

    @property
    def kind(self) -> str:
        return str(self.entry.prompt.__struct_config__.tag)

    @property
    def title(self) -> str:
        """The title, or the closest thing to one."""
        prompt = self.entry.prompt
        for text in (prompt.title, prompt.message):
            if text is not UNSET and text.strip():
                return text.strip().split("\n")[0]
        return self.id


class Board:
    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._answered: dict[str, Row] = {}
        self.shown: str | None = None
        self.without_answerer: set[str] = set()
        """Answered, but not yet known by whom."""

    def __iter__(self) -> Iterator[Row]:
        """Oldest first."""
        return iter(self._rows.values())

    def __getitem__(self, request_id: str) -> Row:
        return self._rows[request_id]

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._rows

    @property
    def shown_row(self) -> Row | None:
        return self._rows.get(self.shown) if self.shown is not None else None

    @property
    def waiting(self) -> list[Row]:
        return [row for row in self if not row.is_settled]

    @property
    def answered(self) -> list[Row]:
        """The latest answers, newest first."""
        return list(reversed(self._answered.values()))

    def load(self, prompts: Iterable[QueuedPrompt]) -> None:
        """At the start, and when the log was replaced: questions that are no longer in the queue become withdrawn."""
        queued = {each.request_id: each for each in prompts}
        for row in self.waiting:
            row.is_withdrawn = row.id not in queued
        self._answered.clear()
        self.receive(sorted(queued.values(), key=lambda each: each.answer_place or each.place))

    def receive(self, prompts: Iterable[QueuedPrompt]) -> None:
        """Adds prompts that were asked or answered, in their current state."""
        for each in prompts:
            if each.answer is None:
                self._rows.setdefault(each.request_id, Row(each.request))
            elif each.request_id not in self._answered:
                self._settle(self._rows.get(each.request_id) or Row(each.request), each.answer)
        self._show_first()

    def move_to(self, request_id: str) -> None:
        """Called for the person's own move: only now are settled rows removed."""
        if request_id not in self._rows or request_id == self.shown:
            return
        self.shown = request_id
        self._rows = {row.id: row for row in self if not row.is_settled or row.id == request_id}

    def move_on(self) -> None:
        """Moves to the next waiting question, wrapping around; shows nothing if there is none."""
        ids = list(self._rows)
        at = ids.index(self.shown) if self.shown in self._rows else -1
        for request_id in (*ids[at + 1 :], *ids[: max(at, 0)]):
            if not self._rows[request_id].is_settled:
                self.move_to(request_id)
                return
        self.shown = None
        self._rows.clear()

    def set_answerers(self, by: Mapping[str, str]) -> None:
        for row in (*self, *self._answered.values()):
            row.by = by.get(row.id, row.by)

    def set_origins(self, origins: Mapping[str, Origin]) -> None:
        for row in (*self, *self._answered.values()):
            row.origin = origins.get(row.id, row.origin)

    @property
    def without_origin(self) -> list[str]:
        """Rows for which it isn't known yet who posted them."""
        return [row.id for row in (*self, *self._answered.values()) if row.origin is None]

    def _settle(self, row: Row, answer: ResponseEntry) -> None:
        row.answer = answer
        self.without_answerer.add(row.id)
        self._answered[row.id] = row
        if len(self._answered) > MAX_ANSWERED:
            del self._answered[next(iter(self._answered))]

    def _show_first(self) -> None:
        """Only if nothing is shown: an arriving question never replaces another one on the screen."""
        if self.shown is None:
            self.shown = next((row.id for row in self.waiting), None)


_RETRY_SECONDS = 1.0
_POLL_SECONDS = 2.0

Changed = Callable[[], None]


async def follow(queue: PromptQueue, board: Board, changed: Changed, failed: Callable[[Failure], None]) -> None:
    """Runs forever. Calls `changed` after each change, and `failed` while the queue can't be read."""
    while True:
        try:
            await _load_and_follow(queue, board, changed)
        except Failure as failure:
            failed(failure)
            await asyncio.sleep(_RETRY_SECONDS)


async def watch_callers(queue: PromptQueue, board: Board, changed: Changed) -> None:
    """Polls for callers that went away, which leaves no trace in the log, and for late answerers' names."""
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        has_new_names = await _find_answerers(queue, board)
        board.without_answerer.clear()
        if await update_callers(queue, board) or has_new_names:
            changed()


async def update_callers(queue: PromptQueue, board: Board) -> bool:
    """Returns whether any caller's state has changed."""
    waiting = await queue.find_waiting([row.id for row in board.waiting])
    before = [row.caller for row in board.waiting]
    for row in board.waiting:
        row.caller = caller_state(row.origin, is_waiting=row.id in waiting)
    return before != [row.caller for row in board.waiting]


async def _load_and_follow(queue: PromptQueue, board: Board, changed: Changed) -> None:
    """Reads the position first: what happens in between is received twice, which does no harm."""
    position = (await queue.entries(0)).position
    shown = await queue.find_all([row.id for row in board.waiting])
    board.load([*shown.values(), *await queue.history(limit=MAX_ANSWERED), *await queue.pending()])
    await _update(queue, board, changed)
    async with aclosing(queue.follow(position)) as pages:
        async for page in pages:
            if page.is_restart:
                return
            ids = dict.fromkeys(entry.request_id for entry in page.entries)
            board.receive((await queue.find_all(ids)).values())
            await _update(queue, board, changed)


async def _update(queue: PromptQueue, board: Board, changed: Changed) -> None:
    board.set_origins(await queue.origins(board.without_origin))
    await _find_answerers(queue, board)
    await update_callers(queue, board)
    changed()


async def _find_answerers(queue: PromptQueue, board: Board) -> bool:
    """Returns whether any name was found."""
    names = await queue.answered_by(board.without_answerer) if board.without_answerer else {}
    board.set_answerers(names)
    board.without_answerer -= names.keys()
    return bool(names)
