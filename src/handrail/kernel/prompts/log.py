"""The log of questions to people and their answers: contract 5, §1 to §3, over a journal that many processes share.

What is pending follows from the log alone. Whoever writes has read everything before it, under the
same lock, so the first answer wins. An answer keeps the lock until it is on disk, and reading takes
the lock: nobody acts on an answer that a failing disk takes back. A question lets go before that,
because nobody acts on a question but by an answer, whose way to the disk takes the question along.
Knows no socket: where secrets go is told by `deliver`.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from msgspec import UNSET

from handrail.kernel.prompts.answer_rules import check_response, mask
from handrail.kernel.prompts.entries import (
    digest,
    find_line,
    is_request_id,
    read_head,
    read_request,
    timestamp,
    write_entry,
)
from handrail.kernel.prompts.index import PromptIndex
from handrail.kernel.prompts.members import Members, Problems
from handrail.kernel.prompts.pages import PromptPages
from handrail.kernel.prompts.rules import check_new_prompt, new_id
from handrail.ports.errors import Conflict, NotFound
from handrail.ports.journal import HeldJournal, Journal
from handrail.ports.prompts import Page, Prompt, PromptResponse, Receipt, RequestEntry, ResponseEntry

LONGEST_ID = 200

# How much is read before somebody else gets the lock.
_BYTES_AT_ONCE = 1 << 23
_PROMPTS_AT_ONCE = 1000

Deliver = Callable[[str, str, Mapping[str, str]], bool]
"""Gets the requestId, the digest of the line and the secrets; false when nobody took them."""


def _to_nobody(request_id: str, line_digest: str, secrets: Mapping[str, str]) -> bool:
    return False


def _unnoticed() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with one request: not there, waiting (`asked`) or answered (`answer`, the line as it is)."""

    asked: RequestEntry | None = None
    answer: bytes | None = None


class PromptLog:
    """`clock` gives seconds since 1970."""

    def __init__(self, journal: Journal, clock: Callable[[], float] = time.time) -> None:
        self._journal = journal
        self._pages = PromptPages(journal)
        self._clock = clock
        self._turn = Lock()
        self._index = PromptIndex()
        self._prompts: dict[str, RequestEntry | None] = {}
        self._read_size: int | None = None

    @property
    def location(self) -> str:
        return self._journal.location

    def request(
        self, prompt: Prompt | Mapping[str, Any], *, request_id: str | None = None, run_id: str | None = None
    ) -> str:
        """The requestId, once the prompt is on disk."""
        _check_ids(request_id, run_id, longest=LONGEST_ID)
        checked = check_new_prompt(prompt)
        used_id = request_id or new_id()
        line = write_entry(RequestEntry(ts=self._now(), request_id=used_id, run_id=run_id or UNSET, prompt=checked))
        with self._turn:
            if not request_id:  # nobody else has made up the same
                self._journal.append(line, is_durable=True, lets_go_early=True)
                return used_id
            self._come_near()
            with self._journal.hold(is_durable=True, lets_go_early=True) as held:
                self._catch_up(held)
                self._refuse_taken(request_id)
                held.append(line)
        return used_id

    def respond(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        deliver: Deliver = _to_nobody,
        on_accepted: Callable[[], None] = _unnoticed,
    ) -> Receipt:
        """Returns once the answer is on disk. Secrets are delivered before that, and never written.

        `on_accepted` is called right before it is written: who reads the answer finds what was noted then.
        """
        _check_ids(request_id, run_id)
        with self._turn:
            if not self._come_near():
                raise NotFound(f"There is no request {request_id}.")
            with self._journal.hold(is_durable=True) as held:
                self._catch_up(held)
                self._refuse_unasked(request_id)
                asked = self._find_prompts(held, [request_id])[0]
                if asked is None:
                    raise NotFound(f"The request {request_id} is of a kind that can't be answered here.")
                written, secrets = mask(asked.prompt, check_response(asked.prompt, response))
                entry = ResponseEntry(ts=self._now(), request_id=request_id, run_id=run_id or UNSET, response=written)
                line = write_entry(entry)
                is_lost = bool(secrets) and not deliver(request_id, digest(line), secrets)
                on_accepted()
                held.append(line)
        if not is_lost:
            return Receipt()
        names = ", ".join(secrets)
        return Receipt((f"Nobody who waits took the secret values ({names}), and the log has only a mask.",))

    def pending(self) -> list[RequestEntry]:
        """What can be read of what nobody has answered yet, the oldest first."""
        with self._turn:
            self._refresh()
            waiting = list(self._index.waiting)
            unknown = [each for each in waiting if each not in self._prompts]
            for start in range(0, len(unknown), _PROMPTS_AT_ONCE):
                with self._journal.hold(is_durable=False) as held:
                    self._find_prompts(held, unknown[start : start + _PROMPTS_AT_ONCE])
            return [found for each in waiting if (found := self._prompts.get(each)) is not None]

    def standing(self, request_id: str) -> Standing:
        with self._turn:
            self._refresh()
            if request_id in self._index.waiting:
                if request_id in self._prompts:
                    return Standing(asked=self._prompts[request_id])
                with self._journal.hold(is_durable=False) as held:
                    return Standing(asked=self._find_prompts(held, [request_id])[0])
            stretch = self._index.answer_to(request_id)
        if stretch is None:
            return Standing()
        return Standing(answer=find_line(b"".join(self._journal.lines(*stretch)), "response", request_id))

    def prompt_of(self, request_id: str) -> Prompt | None:
        """Also of a request that was answered long ago: looks through the whole log."""
        for line in self._journal.lines():
            head = read_head(line)
            if head is not None and head.is_of("request", request_id):
                found = read_request(line)
                return found.prompt if found is not None else None
        return None

    def entries(self, limit: int | None = None) -> Page:
        """The newest `limit` that can be read, or all, in the order of the log."""
        return self._pages.newest(limit)

    def before(self, place: int, limit: int) -> Page:
        """The entries that begin before `place`, at least `limit` where there are as many."""
        return self._pages.before(place, limit)

    def since(self, position: int) -> Page:
        """What came after a page that ended at `position`."""
        return self._pages.since(position)

    def close(self) -> None:
        self._journal.close()

    def _come_near(self) -> bool:
        """Before a write, which reads the rest itself: a long log is read before the lock is taken. False: no log."""
        if self._read_size is None:
            self._refresh()
        return self._read_size is not None

    def _refresh(self) -> None:
        """Reads what is new, a part at a time, so that a long log keeps nobody from writing."""
        size = self._journal.glimpse().size
        if size is None:
            self._start_over()
            return
        is_done = size == self._read_size
        while not is_done:
            with self._journal.hold(is_durable=False) as held:
                is_done = self._catch_up(held, _BYTES_AT_ONCE)

    def _catch_up(self, held: HeldJournal, limit: int | None = None) -> bool:
        if not self._index.is_about(held):
            self._start_over()
        is_done = self._index.read(held, limit)
        self._read_size = held.size if is_done else None
        waiting = self._index.waiting
        if len(self._prompts) > len(waiting):
            self._prompts = {each: entry for each, entry in self._prompts.items() if each in waiting}
        return is_done

    def _start_over(self) -> None:
        self._index = PromptIndex()
        self._prompts = {}
        self._read_size = None

    def _find_prompts(self, held: HeldJournal, request_ids: Iterable[str]) -> list[RequestEntry | None]:
        """Of requests that wait; None where one can't be read."""
        stretch, data = (0, 0), b""
        found = []
        for each in request_ids:
            if each not in self._prompts:
                if stretch != self._index.waiting[each]:
                    stretch = start, end = self._index.waiting[each]
                    data = held.read(start, end - start)
                line = find_line(data, "request", each)
                self._prompts[each] = read_request(line) if line is not None else None
            found.append(self._prompts[each])
        return found

    def _refuse_taken(self, request_id: str) -> None:
        if request_id in self._index.waiting or self._index.answer_to(request_id) is not None:
            hint = "Choose another requestId, or none."
            raise Conflict(f"There is a request {request_id} already.", hint=hint, reason="taken")

    def _refuse_unasked(self, request_id: str) -> None:
        if request_id in self._index.waiting:
            return
        if self._index.answer_to(request_id) is not None:
            raise Conflict(f"The request {request_id} was answered before.", reason="answered")
        raise NotFound(f"There is no request {request_id}.")

    def _now(self) -> str:
        return timestamp(self._clock())


def _check_ids(request_id: str | None, run_id: str | None, longest: int | None = None) -> None:
    problems = Problems("payload")
    members = Members({"requestId": request_id or "", "runId": run_id or ""}, problems)
    if request_id and members.text("requestId"):
        if not is_request_id(request_id):
            members.note("requestId", "must not hold control characters")
        if longest is not None and len(request_id) > longest:
            members.note("requestId", f"must not be longer than {longest} characters")
    members.text("runId")
    problems.raise_any()
