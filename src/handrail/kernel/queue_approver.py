"""Approvals through the queue: a prompt that shows everything, answered wherever a person sits.

A caller that gives up leaves its prompt standing. When it is answered with ok within ten minutes, the
identical call passes once: the same program, tool, parameters and content that were shown. A command
that is stopped takes its prompt along.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel.approval import Answer, Question
from handrail.kernel.call import Call
from handrail.kernel.evidence import utc_now
from handrail.kernel.target import ANY_HOST
from handrail.kernel.visible import visible
from handrail.ports.errors import Declined, Failure
from handrail.ports.once import Once
from handrail.ports.prompts import (
    ConsentSubject,
    FileChangePrompt,
    PromptQueue,
    PromptResponse,
    QueuedPrompt,
    ResponseEntry,
    Side,
)

PREFIX = "approval_"
KEPT = timedelta(minutes=10)
_NAMELESS = "The address of the page is not known, so no rule can name it: “always” counts once here."
_RULED = "A rule of the policy asks about this each time, whatever you allow for good."

BesideQuestion = Callable[[Question], Sequence[Side]]
AllowAlways = Callable[[Question, PromptResponse, str], Awaitable[None]]
"""What was asked, what was answered, and who answered."""


def in_the_queue_alone(question: Question) -> Sequence[Side]:
    return ()


@dataclass(frozen=True, slots=True)
class AskInQueue:
    """Approvals are asked for in the queue, and `beside` it. Whether a prompt outlives its caller is told."""

    beside: BesideQuestion = in_the_queue_alone
    is_left_standing: bool = True

    @property
    def has_terminal(self) -> bool:
        return self.beside is not in_the_queue_alone


class QueueApprover:
    def __init__(
        self,
        queue: PromptQueue,
        once: Once,
        allow_always: AllowAlways,
        *,
        beside: BesideQuestion = in_the_queue_alone,
        is_left_standing: bool = True,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._queue = queue
        self._once = once
        self._allow_always = allow_always
        self._beside = beside
        self._is_left_standing = is_left_standing
        self._now = now
        self._for_task: set[tuple[str, ...]] = set()

    def shows(self, call: Call, place: str | None) -> bool:
        return _reach_of_a_task(call, place) not in self._for_task

    async def ask(self, question: Question) -> Answer:
        if not self.shows(question.call, question.preview.place):
            return Answer("ok", by="allowed for this task")
        stem = PREFIX + _identity(question)
        repeats = await self._queue.repeats(stem)
        if (earlier := await self._answered_before(repeats)) is not None:
            await self._remember(question, earlier.request_id, earlier.response)
            return Answer("ok", by=f"prompt {earlier.request_id}", prompt_id=earlier.request_id)
        prompt = prompt_of(question)
        left = await self._left_alone(repeats)
        request_id = left or f"{stem}_{secrets.token_hex(4)}"
        try:
            if left is None:
                await self._queue.request(prompt, request_id=request_id, run_id=question.call.task)
            await question.call.progress(f"Waiting for a person's approval (`handrail prompts show {request_id}`).")
            beside = [*self._beside(question), *question.call.beside(prompt)]
            answer = await self._queue.wait(request_id, beside=beside)
        except asyncio.CancelledError:
            if not self._is_left_standing:  # it may be in the queue already, or never have got that far
                await asyncio.shield(withdraw(self._queue, request_id))
            raise
        return await self._read(question, request_id, answer.response)

    async def _read(self, question: Question, request_id: str, response: PromptResponse) -> Answer:
        by = f"{await self._who_answered(request_id)}, prompt {request_id}"
        remark = response.remark if response.remark is not UNSET else None
        if response.status != "ok":
            return Answer(response.status, by, remark)
        if not await self._once.claim(request_id):
            raise Declined("This approval was used by a repetition of the call.", reason="used")
        await self._remember(question, request_id, response)
        return Answer("ok", by, remark, request_id)

    async def _remember(self, question: Question, request_id: str, response: PromptResponse) -> None:
        """How far the yes reaches, also where it came when the caller had gone."""
        if response.scope == "task":
            self._for_task.add(_reach_of_a_task(question.call, question.preview.place))
        elif response.scope == "rule":
            await self._allow_always(question, response, await self._who_answered(request_id))

    async def _who_answered(self, request_id: str) -> str:
        return (await self._queue.answered_by([request_id])).get(request_id, "a person")

    async def _answered_before(self, repeats: Sequence[QueuedPrompt]) -> ResponseEntry | None:
        """An ok for exactly this call that came after its caller had gone, and that nobody has used."""
        oldest = (self._now() - KEPT).isoformat(timespec="milliseconds")
        for earlier in reversed(repeats):
            answer = earlier.answer
            if (
                answer is not None
                and answer.response.status == "ok"
                and answer.ts >= oldest
                and await self._once.claim(answer.request_id)
            ):
                return answer
        return None

    async def _left_alone(self, repeats: Sequence[QueuedPrompt]) -> str | None:
        """A pending prompt for the same call whose caller has gone: it is not shown twice."""
        for earlier in repeats:
            if earlier.is_pending and not await self._queue.is_waiting(earlier.request_id):
                return earlier.request_id
        return None


async def withdraw(queue: PromptQueue, request_id: str) -> None:
    """Nobody waits for the answer any more. Who answered in the last moment was first, and nothing comes of it."""
    with suppress(Failure):
        await queue.respond(request_id, PromptResponse(status="timeout"), by="handrail")


def prompt_of(question: Question) -> FileChangePrompt:
    """Everything that will happen, with nothing hidden in it."""
    preview = question.preview
    lines = [f"{question.title} ({question.effect.value})", f"Asked by {question.call.caller}"]
    lines += [_NAMELESS] if preview.host == ANY_HOST else []
    if preview.consent is not None:
        lines += [_RULED] if question.is_ruled else []
        for name, fact in preview.consent.facts:
            lines += _shown(name, fact)
    if preview.diff is None:
        for name, value in _parameters(question):
            lines += _shown(name, value)
    return FileChangePrompt(
        title=visible(preview.summary),
        message=visible("\n".join(lines)),
        source=f"handrail/{question.call.tool}",
        path=_visible(preview.path),
        command=_visible(preview.command),
        cwd=_visible(preview.cwd),
        diff=_visible(preview.diff),
        images=tuple(question.images) or UNSET,
        scope=UNSET if preview.warrant is None else preview.warrant,
        consent=_subject(question),
    )


def _parameters(question: Question) -> Iterator[tuple[str, Any]]:
    """An app's parameters are told one by one: text in them is read as text."""
    for name, value in _given(question.params).items():
        if question.preview.consent is not None and isinstance(value, dict) and value:
            yield from ((f"{name}.{_quoted(inner)}", part) for inner, part in value.items())
        else:
            yield name, value


def _given(value: Any) -> Any:
    """What was left out is nothing to read about; a null that somebody wrote into a free object stays."""
    if not isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    members = ((member, getattr(value, member.name)) for member in msgspec.structs.fields(value))
    return {member.encode_name: _given(part) for member, part in members if part not in (None, UNSET)}


def _quoted(name: str) -> str:
    """A name of the agent's own making, so that it can't be taken for anything else."""
    return name if name.isidentifier() else msgspec.json.encode(name).decode()


def _subject(question: Question) -> Any:
    to = question.preview.consent
    return UNSET if to is None else ConsentSubject(app=to.app, app_name=visible(to.app_name), tool=to.tool)


def _visible(text: str | None) -> Any:
    return UNSET if text is None else visible(text)


def _shown(name: str, value: Any) -> list[str]:
    """No line of a parameter's can be taken for one of ours."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return [f"{name}: {text}"] if "\n" not in text else [f"{name}:", *(f"  │ {line}" for line in text.split("\n"))]


def _identity(question: Question) -> str:
    """Of a call in its task. The caller's program, not its process: a retry may come from a new one."""
    caller = question.call.caller
    parts = [caller.face, caller.name, question.call.task, question.call.tool, question.digest]
    return sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _reach_of_a_task(call: Call, place: str | None) -> tuple[str, ...]:
    """A yes to one caller, for one host or app, says nothing about the next: anybody may name a task as they like."""
    return str(call.caller), call.task or "", call.tool, place or ""
