"""Writes questions and answers to the prompt log (contract 5, §1 to §3), a journal that many processes share.

A writer has read all earlier entries under the same lock, so the first answer wins. An answer keeps the lock until it
is on disk. A question releases it earlier, because it has no effect until there is an answer, which syncs both.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from handrail.kernel.prompts.answer_rules import check_response, mask
from handrail.kernel.prompts.entries import digest, is_request_id, timestamp, write_entry
from handrail.kernel.prompts.members import Members, Problems
from handrail.kernel.prompts.rules import check_new_prompt, new_id
from handrail.kernel.prompts.shown_digest import check_shown, shown_digest
from handrail.kernel.prompts.view import PromptView
from handrail.ports.errors import Failure, NotFound
from handrail.ports.journal import Journal, LockedJournal
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import Receipt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt

LONGEST_ID = 200

Deliver = Callable[[str, str, Mapping[str, str]], bool]
"""Gets the requestId, the digest of the line and the secrets; returns False if nobody received them."""


def _to_nobody(request_id: str, line_digest: str, secrets: Mapping[str, str]) -> bool:
    return False


def _unnoticed() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Question:
    line: bytes
    request_id: str
    is_new_id: bool
    shown: str


@dataclass(frozen=True, slots=True)
class Reply:
    request_id: str
    response: PromptResponse | Mapping[str, Any]
    run_id: str | None
    deliver: Deliver
    on_accepted: Callable[[], None]
    shown: str | None = None


Change = Question | Reply


class PromptLog:
    """`clock` gives seconds since 1970."""

    def __init__(self, journal: Journal, clock: Callable[[], float] = time.time) -> None:
        self._journal = journal
        self._clock = clock
        self.view = PromptView(journal)

    @property
    def location(self) -> str:
        return self._journal.location

    def question(
        self, prompt: Prompt | Mapping[str, Any], *, request_id: str | None = None, run_id: str | None = None
    ) -> Question:
        """A question for `write`. InvalidParams names the fields that break the contract."""
        _check_ids(request_id, run_id, longest=LONGEST_ID)
        checked = check_new_prompt(prompt)
        used_id = request_id or new_id()
        entry = RequestEntry(ts=self._now(), request_id=used_id, run_id=run_id or UNSET, prompt=checked)
        shown = shown_digest(used_id, checked)
        return Question(write_entry(entry), used_id, is_new_id=not request_id, shown=shown)

    def request(
        self, prompt: Prompt | Mapping[str, Any], *, request_id: str | None = None, run_id: str | None = None
    ) -> str:
        """The requestId, once the prompt is on disk."""
        question = self.question(prompt, request_id=request_id, run_id=run_id)
        self._write_one(question)
        return question.request_id

    def reply(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        deliver: Deliver = _to_nobody,
        on_accepted: Callable[[], None] = _unnoticed,
        shown: str | None = None,
    ) -> Reply:
        """A reply for `write`. Its secrets are delivered before it is written, and never written.

        `on_accepted` is called right before that, so readers of the answer find what it saves. `shown` is the digest
        of what the person saw; Conflict if the log has something else.
        """
        _check_ids(request_id, run_id)
        return Reply(request_id, response, run_id, deliver, on_accepted, shown)

    def respond(self, request_id: str, response: PromptResponse | Mapping[str, Any], **how: Any) -> Receipt:
        """Returns once the answer is on disk; `how` are the parameters of `reply`."""
        return self._write_one(self.reply(request_id, response, **how))

    def _write_one(self, change: Change) -> Receipt:
        (outcome,) = self.write([change])
        if isinstance(outcome, Failure):
            raise outcome
        return outcome

    def write(self, changes: Sequence[Change]) -> list[Receipt | Failure]:
        """Each change is written as one line or refused separately; all of them share one lock and one fsync."""
        needs_view = any(isinstance(change, Reply) or not change.is_new_id for change in changes)
        has_log = self.view.prepare() if needs_view else True
        is_asking = all(isinstance(change, Question) for change in changes)
        if not has_log and not any(isinstance(change, Question) for change in changes):
            return [NotFound(f"There is no request {change.request_id}.") for change in changes]
        with self.view.writing(releases_early=is_asking) as journal:
            return [self._write(journal, change) for change in changes]

    def _write(self, journal: LockedJournal, change: Change) -> Receipt | Failure:
        try:
            if isinstance(change, Reply):
                return self._answer(journal, change)
            if not change.is_new_id:  # a new random id can't be taken
                self.view.catch_up(journal)
                self.view.refuse_taken(journal, change.request_id)
            journal.append(change.line)
            return Receipt()
        except Failure as failure:
            return failure

    def _answer(self, journal: LockedJournal, reply: Reply) -> Receipt:
        request_id = reply.request_id
        self.view.catch_up(journal)
        request = self.view.pending_request(journal, request_id)
        response = check_response(request.prompt, reply.response)
        if response.status == "ok":
            check_shown(request_id, request.prompt, reply.shown)
        written, secrets = mask(request.prompt, response)
        run_id = reply.run_id or request.run_id or UNSET
        entry = ResponseEntry(ts=self._now(), request_id=request_id, run_id=run_id, response=written)
        line = write_entry(entry)
        is_lost = bool(secrets) and not reply.deliver(request_id, digest(line), secrets)
        reply.on_accepted()
        journal.append(line)
        if not is_lost:
            return Receipt()
        names = ", ".join(secrets)
        lost = f"No program was waiting for the secret values ({names}). They were discarded; the log has only a mask."
        return Receipt((lost,))

    def close(self) -> None:
        self._journal.close()

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
