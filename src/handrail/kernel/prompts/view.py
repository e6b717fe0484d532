"""The only view of the prompt queue: finds prompts by id, lists pending and answered ones, reads new entries.

Only this module decides whether a prompt is pending. Reading takes the log's lock, because an answer that a failing
disk then removes must have no effect.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from threading import Lock

from handrail.kernel.prompts.entries import (
    is_nameless_request,
    read_answer,
    read_entry,
    read_head,
    read_request,
    split_entries,
)
from handrail.kernel.prompts.index import PromptIndex, line_at
from handrail.ports.errors import Conflict, NotFound
from handrail.ports.journal import Journal, LockedJournal
from handrail.ports.prompt_entries import Entry, RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import Page, QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt, UnreadablePrompt

# How much is read before the lock is released for others.
_BYTES_AT_ONCE = 1 << 23
_PROMPTS_AT_ONCE = 1000
_MOST_CACHED = 2000
_FIRST_LOOK_BACK = 1 << 18

_Request = tuple[int, RequestEntry]
"""A request with its offset."""


class PromptView:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._turn = Lock()
        self._start_over()

    def _start_over(self) -> None:
        self._index = PromptIndex()
        self._cache: dict[str, _Request] = {}
        self._has_read = False

    @contextmanager
    def reading(self) -> Iterator[LockedJournal | None]:
        """Locks the log after reading everything in it; yields None if there is no log.

        A long log is read in parts, so that writers don't have to wait for all of it.
        """
        with self._turn:
            is_done = False
            while not is_done:
                if self._journal.snapshot().size is None:
                    self._start_over()
                    yield None
                    return
                with self._journal.lock(is_durable=False) as journal:
                    if is_done := self.catch_up(journal, _BYTES_AT_ONCE):
                        self._has_read = True
                        yield journal

    def prepare(self) -> bool:
        """Reads a long log in parts before the first write takes the lock. Returns False if there is no log."""
        if not self._has_read:
            with self.reading():
                pass
        return self._has_read

    @contextmanager
    def writing(self, *, releases_early: bool) -> Iterator[LockedJournal]:
        """Locks the log for one writer, who has to call `catch_up` before each decision."""
        with self._turn, self._journal.lock(is_durable=True, releases_early=releases_early) as journal:
            yield journal

    def catch_up(self, journal: LockedJournal, limit: int | None = None) -> bool:
        """Reads what was appended, or about `limit` bytes of it; returns False if there is more."""
        if not self._index.matches(journal):
            self._start_over()
        return self._index.read(journal, limit)

    def find_all(self, request_ids: Iterable[str]) -> Mapping[str, QueuedPrompt]:
        """The prompts of these ids that are in the log, pending or answered."""
        with self.reading() as journal:
            if journal is None:
                return {}
            prompts = ((each, self._find(journal, each)) for each in request_ids)
            return {each: prompt for each, prompt in prompts if prompt is not None}

    def repeats(self, stem: str) -> list[QueuedPrompt]:
        """Prompts whose id is `stem`, an underscore and text without one; the oldest first."""
        with self.reading() as journal:
            if journal is None:
                return []
            prompts = (self._find(journal, each) for each in self._index.ids_with_stem(stem, journal))
            return [each for each in prompts if each is not None]

    def pending(self, before: int | None = None, limit: int | None = None) -> list[QueuedPrompt]:
        """The newest `limit` pending prompts before an offset, the oldest first."""
        with self.reading():
            places = reversed(list(self._index.waiting.items()))
        ids = (each for each, place in places if before is None or place < before)
        prompts: list[QueuedPrompt] = []
        while (limit is None or len(prompts) < limit) and (part := list(islice(ids, _PROMPTS_AT_ONCE))):
            with self.reading() as journal:
                waiting = [each for each in part if each in self._index.waiting]
                asked = [self._pending_request(journal, each) for each in waiting] if journal is not None else []
                prompts += (QueuedPrompt(request, place) for place, request in filter(None, asked))
        return prompts[:limit][::-1]

    def history(self, before: int | None = None, limit: int = 100) -> list[QueuedPrompt]:
        """The newest `limit` prompts that were answered before an offset, the oldest answer first."""
        prompts: list[QueuedPrompt] = []
        with self.reading() as journal:
            answers = self._index.responses
            at = len(answers) if before is None else bisect_left(answers, before)
            while journal is not None and at > 0 and len(prompts) < limit:
                at -= 1
                head = read_head(line_at(journal, answers[at]))
                prompt = self._find(journal, head.request_id) if head is not None else None
                if prompt is not None and prompt.answer_place == answers[at]:  # later answers don't count
                    prompts.append(prompt)
        return prompts[::-1]

    def answer_to(self, request_id: str) -> tuple[Prompt | None, bytes] | None:
        """The prompt, if it is readable, and the line of its first answer; None while there is no answer."""
        with self.reading() as journal:
            if journal is None or request_id in self._index.waiting:
                return None
            answer = self._answer_line(journal, request_id)
            asked = self._request(journal, request_id)
            return None if answer is None else (asked[1].prompt if asked is not None else None, answer[1])

    def pending_request(self, journal: LockedJournal, request_id: str) -> RequestEntry:
        """The request that is about to be answered. Conflict: it was answered before; NotFound."""
        if request_id in self._index.waiting and (asked := self._pending_request(journal, request_id)) is not None:
            return asked[1]
        if self._answer_line(journal, request_id) is not None:
            raise Conflict(f"The request {request_id} was answered before.", reason="answered")
        raise NotFound(f"There is no request {request_id}.")

    def refuse_taken(self, journal: LockedJournal, request_id: str) -> None:
        if request_id in self._index.waiting or self._answer_line(journal, request_id) is not None:
            hint = "Choose another requestId, or none."
            raise Conflict(f"There is a request {request_id} already.", hint=hint, reason="taken")

    def entries(self, limit: int | None = None, before: int | None = None) -> Page:
        """The newest `limit` readable entries that begin before an offset, or all."""
        size = self._journal.snapshot().size or 0
        end = size if before is None else min(before, size)
        back = end if limit is None else _FIRST_LOOK_BACK
        while True:
            start = max(0, end - back)
            page = self._page(start, end, is_line_start=start == 0)
            if limit is None or start == 0 or len(page.entries) >= limit:
                first = 0 if limit is None else max(0, len(page.entries) - limit)
                return Page(page.entries[first:], page.position, places=page.places[first:])
            back *= 4

    def since(self, position: int) -> Page:
        """The entries after a page that ended at `position`."""
        size = self._journal.snapshot().size or 0
        if self._is_between_lines(position, size):
            return self._page(position, size)
        page = self._page(0, size)
        return replace(page, is_restart=True)

    def _find(self, journal: LockedJournal, request_id: str) -> QueuedPrompt | None:
        if request_id in self._index.waiting:
            asked = self._pending_request(journal, request_id)
            return None if asked is None else QueuedPrompt(asked[1], asked[0])
        answered, asked = self._answer_line(journal, request_id), self._request(journal, request_id)
        if asked is None or answered is None:
            return None
        answer = read_answer(answered[1], asked[1].prompt)
        if answer is None:  # an unreadable answer is never an approval
            answer = ResponseEntry(ts="", request_id=request_id, response=PromptResponse(status="canceled"))
        return QueuedPrompt(asked[1], asked[0], answer, answered[0])

    def _answer_line(self, journal: LockedJournal, request_id: str) -> tuple[int, bytes] | None:
        return next(self._index.lines_of("response", request_id, journal), None)

    def _request(self, journal: LockedJournal, request_id: str) -> _Request | None:
        """The first request that follows the contract; if there is none, the first."""
        first: _Request | None = None
        for place, line in self._index.lines_of("request", request_id, journal):
            if (entry := read_request(line)) is not None:
                if not isinstance(entry.prompt, UnreadablePrompt):
                    return place, entry
                first = first or (place, entry)
        return first

    def _pending_request(self, journal: LockedJournal, request_id: str) -> _Request | None:
        if (cached := self._cache.get(request_id)) is not None:
            return cached
        place = self._index.waiting[request_id]
        first = read_request(line_at(journal, place))
        is_readable = first is not None and not isinstance(first.prompt, UnreadablePrompt)
        request = (place, first) if first is not None and is_readable else self._request(journal, request_id)
        if request is not None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            self._cache[request_id] = request
        return request

    def _is_between_lines(self, position: int, size: int) -> bool:
        """False if the log was replaced, or if lines were replaced that a failing disk had removed."""
        if position in (0, size):
            return True
        around = b"".join(self._journal.lines(position - 1, until=min(position + 1, size)))
        return b"\n" in around or around == b"}{"  # the LF of an entry was left out

    def _page(self, start: int, end: int, *, is_line_start: bool = True) -> Page:
        entries: list[Entry] = []
        places: list[int] = []
        nameless: list[int] = []
        position = start
        for line in self._journal.lines(start, until=end):
            line_entries = (
                [(position + at, part, read_entry(part)) for at, part in split_entries(line)] if is_line_start else []
            )
            is_line_start = True
            if not line.endswith(b"\n") and (not line_entries or line_entries[-1][2] is None):
                break  # torn, or still being written
            for place, part, entry in line_entries:
                if entry is not None:
                    entries.append(entry)
                    places.append(place)
                elif is_nameless_request(part):
                    nameless.append(place)
            position += len(line)
        return Page(entries, position, places=places, nameless=nameless)
