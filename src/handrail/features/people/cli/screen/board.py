"""Which questions wait, in which order, and which one is shown. Knows no terminal.

The shown one changes by a person's move alone, and rows change their places only then: what was answered
elsewhere stays where it stands, marked, until the person moves on.
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

MOST_ANSWERED = 1000


@dataclass(slots=True)
class Row:
    """One question, and what became of it."""

    entry: RequestEntry
    answer: ResponseEntry | None = None
    by: str | None = None
    caller: CallerState = "waiting"
    is_withdrawn: bool = False
    is_mine: bool = False
    is_sending: bool = False
    origin: Origin | None = None
    is_warned: bool = False
    """The person has been told that they can't see what a yes would be for."""

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
        """One that the gate waits for: only such a yes can reach beyond this once."""
        is_own = self.origin is not None and self.origin.is_own
        return is_own and isinstance(self.entry.prompt, FileChangePrompt) and self.id.startswith(APPROVAL_PREFIX)

    def offers(self, scope: Scope) -> bool:
        """Whether a yes may reach that far."""
        prompt = self.entry.prompt
        if not self.is_approval or not isinstance(prompt, FileChangePrompt):
            return False
        return any(offer.scope == scope for offer in prompt.offers or ()) or (scope == "rule" and self.is_about_app)

    @property
    def is_about_app(self) -> bool:
        """A call of an app's tool: a yes may be one to all of them."""
        prompt = self.entry.prompt
        return self.is_approval and isinstance(prompt, FileChangePrompt) and prompt.consent is not UNSET

    @property
    def has_parts(self) -> bool:
        """A yes may be one to a part of it."""
        return isinstance(self.entry.prompt, FileChangePrompt) and bool(self.entry.prompt.parts)

    @property
    def can_cancel(self) -> bool:
        return self.entry.prompt.allow_cancel is not False

    @property
    def kind(self) -> str:
        return str(self.entry.prompt.__struct_config__.tag)

    @property
    def title(self) -> str:
        """The title, or what comes nearest to one."""
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
        self.unnamed: set[str] = set()
        """Answered, and by whom was not looked up yet."""

    def __iter__(self) -> Iterator[Row]:
        """The oldest first."""
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
        """The newest answer first; the latest thousand."""
        return list(reversed(self._answered.values()))

    def load(self, prompts: Iterable[QueuedPrompt]) -> None:
        """At the start, and when the log was replaced: what is not in the queue any more is shown as withdrawn."""
        known = {each.request_id: each for each in prompts}
        for row in self.waiting:
            row.is_withdrawn = row.id not in known
        self._answered.clear()
        self.receive(sorted(known.values(), key=lambda each: each.answer_place or each.place))

    def receive(self, prompts: Iterable[QueuedPrompt]) -> None:
        """Prompts that were asked or answered, as they are now."""
        for each in prompts:
            if each.answer is None:
                self._rows.setdefault(each.request_id, Row(each.request))
            elif each.request_id not in self._answered:
                self._settle(self._rows.get(each.request_id) or Row(each.request), each.answer)
        self._show_first()

    def move_to(self, request_id: str) -> None:
        """The person's own move: settled rows are swept away now, and only now."""
        if request_id not in self._rows or request_id == self.shown:
            return
        self.shown = request_id
        self._rows = {row.id: row for row in self if not row.is_settled or row.id == request_id}

    def move_on(self) -> None:
        """To the next one that waits, around the end; without one, to nothing."""
        ids = list(self._rows)
        at = ids.index(self.shown) if self.shown in self._rows else -1
        for request_id in (*ids[at + 1 :], *ids[: max(at, 0)]):
            if not self._rows[request_id].is_settled:
                self.move_to(request_id)
                return
        self.shown = None
        self._rows.clear()

    def note_answerers(self, by: Mapping[str, str]) -> None:
        for row in (*self, *self._answered.values()):
            row.by = by.get(row.id, row.by)

    def note_origins(self, origins: Mapping[str, Origin]) -> None:
        for row in (*self, *self._answered.values()):
            row.origin = origins.get(row.id, row.origin)

    @property
    def unplaced(self) -> list[str]:
        """Rows of which it isn't known yet who posted them."""
        return [row.id for row in (*self, *self._answered.values()) if row.origin is None]

    def _settle(self, row: Row, answer: ResponseEntry) -> None:
        row.answer = answer
        self.unnamed.add(row.id)
        self._answered[row.id] = row
        if len(self._answered) > MOST_ANSWERED:
            del self._answered[next(iter(self._answered))]

    def _show_first(self) -> None:
        """Only where nothing is shown: an arrival never takes another's place."""
        if self.shown is None:
            self.shown = next((row.id for row in self.waiting), None)


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
    waiting = await queue.find_waiting([row.id for row in board.waiting])
    before = [row.caller for row in board.waiting]
    for row in board.waiting:
        row.caller = caller_state(row.origin, is_waiting=row.id in waiting)
    return before != [row.caller for row in board.waiting]


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
    board.note_origins(await queue.origins(board.unplaced))
    await _name_answerers(queue, board)
    await look_for_callers(queue, board)
    changed()


async def _name_answerers(queue: PromptQueue, board: Board) -> bool:
    """Whether a name was found."""
    found = await queue.answered_by(board.unnamed) if board.unnamed else {}
    board.note_answerers(found)
    board.unnamed -= found.keys()
    return bool(found)
