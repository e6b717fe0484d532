"""The queue between programs that ask and the person who answers."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.prompt_entries import Entry, RequestEntry, ResponseEntry
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import NOTHING_MASKED, Prompt


@dataclass(frozen=True, slots=True)
class Page:
    """Entries in the order of the log, and the position after them."""

    entries: Sequence[Entry]
    position: int
    is_restart: bool = False
    """The log was replaced, so what was read before isn't part of it."""
    places: Sequence[int] = ()
    """The offset of each entry in the log."""
    nameless: Sequence[int] = ()
    """The offsets of requests without a usable requestId, which can't be answered."""


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """A request in the queue with its first answer, which is the one that counts. Pending while there is none."""

    request: RequestEntry
    place: int
    """The request's offset in the log; later requests have higher offsets."""
    answer: ResponseEntry | None = None
    answer_place: int | None = None

    @property
    def is_pending(self) -> bool:
        return self.answer is None

    @property
    def request_id(self) -> str:
        return self.request.request_id

    @property
    def prompt(self) -> Prompt:
        return self.request.prompt


@dataclass(frozen=True, slots=True)
class Receipt:
    """Confirms that an answer is in the log; `warnings` are for the person who gave it."""

    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """The answer for the program that asked, with secrets."""

    request_id: str
    response: PromptResponse = field(repr=False)
    masked: frozenset[str] = frozenset()
    """Keys of secret fields whose values didn't arrive; they contain the mask."""


@dataclass(frozen=True, slots=True)
class AnswerChannel:
    """Another way than the queue to ask a question. The first answer wins, wherever it is given.

    `answer` returns None if the channel has no answer, and the question stays open. It is cancelled with the message
    "answered" when the answer came from elsewhere.
    """

    by: str
    answer: Callable[[], Awaitable[PromptResponse | None]]
    confirm: Callable[[PromptResponse], Awaitable[bool]] | None = None
    """Only for this process's terminal: whether the person types the word that is shown there (`ports/presence.py`)."""
    turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """Held from the question until its answer is sent, so that no other question comes in between."""


FindChannels = Callable[[Prompt], Sequence[AnswerChannel]]


def no_channels(prompt: Prompt) -> Sequence[AnswerChannel]:
    """For questions that are asked only in the queue."""
    return ()


class ApprovalSubject(msgspec.Struct, frozen=True):
    """What an approval is about; a team decides by this who may answer it."""

    identity: str
    """Whose call it is: `Caller.agent`."""
    tool: str
    effect: str
    project: str
    place: str = ""
    server: str = ""
    node: str = ""
    """The team's node whose gate asks."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who posted a prompt, if known. Only with `is_own` it is handrail's, whatever the prompt says."""

    by: str
    is_own: bool = False
    shown: str | None = None
    """The digest of the prompt as it was posted; None if that is unknown."""
    waits: bool = False
    """Its poster waits on a socket, so handrail notices when that program is gone."""
    about: ApprovalSubject | None = None
    """Only for the gate's own approvals, and only if the store saves it."""


CallerState = Literal["waiting", "gone", "unknown"]


def caller_state(origin: Origin | None, *, is_waiting: bool) -> CallerState:
    """The state of the program that asked. It is unknown for programs that only read the log."""
    if is_waiting:
        return "waiting"
    return "gone" if origin is not None and (origin.is_own or origin.waits) else "unknown"


OWN_ORIGIN = Origin("handrail", is_own=True)


class PromptQueue(Protocol):
    """Questions to people. Every method may raise InputOutput, and Conflict if the log stays locked."""

    @property
    def location(self) -> str:
        """The log's location, for people to read."""
        ...

    async def request(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        origin: Origin | None = None,
    ) -> str:
        """Returns the requestId once the prompt is on disk; generates one if none is given.

        InvalidParams names the fields that break the contract. Conflict: the requestId is taken.
        """
        ...

    async def respond(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        by: str | None = None,
        proof: Any = None,
        shown: str | None = None,
    ) -> Receipt:
        """Returns once the answer is on disk. The first one wins, others get Conflict. `by` names who gave it.

        `shown` is the digest of what the person saw (`kernel/prompts/bundles.py`); Conflict if the prompt differs.
        `proof` is a `ProofSource` (`ports/presence.py`); PresenceNeeded if the answer requires a proof and this isn't
        one; WordNeeded if only the typed word is missing. NotFound. InvalidParams names the fields that don't fit
        the prompt.
        """
        ...

    async def ask(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        channels: FindChannels = no_channels,
        origin: Origin | None = None,
        masked: Mapping[str, str] = NOTHING_MASKED,
    ) -> PromptAnswer:
        """`request` and `wait` in one call, without a gap in which a secret could be lost."""
        ...

    async def wait(
        self, request_id: str, *, channels: Sequence[AnswerChannel] = (), masked: Mapping[str, str] = NOTHING_MASKED
    ) -> PromptAnswer:
        """Waits without limit, also for a request that doesn't exist yet. While it waits, `is_waiting` is true.

        If several wait for one answer, the last one gets its secrets. `masked` are secrets of the question itself: they
        are in no log, and the person who is asked may see them.
        """
        ...

    async def masked(self, request_id: str) -> Mapping[str, str]:
        """The secrets of a question, for the person who is asked; empty if there are none or its caller is gone."""
        ...

    async def is_waiting(self, request_id: str) -> bool:
        """Whether a caller in any process still waits for this answer."""
        ...

    async def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """The ids for whose answers a caller still waits."""
        ...

    async def answered_by(self, request_ids: Collection[str]) -> Mapping[str, str]:
        """Who gave the answers, if known: "console:ada", "terminal:ada", "client:claude-code/2"."""
        ...

    async def origins(self, request_ids: Collection[str]) -> Mapping[str, Origin]:
        """Who posted them. Missing ones were written to the log by other programs."""
        ...

    async def proof_of(self, request_id: str) -> Mapping[str, Any] | None:
        """The proof that a person was present when this was answered; None if it wasn't required.

        PresenceNeeded: it was required and is missing, so the answer doesn't count.
        """
        ...

    async def find(self, request_id: str) -> QueuedPrompt | None:
        """The prompt with this id, pending or answered; None if there is none."""
        ...

    async def find_all(self, request_ids: Collection[str]) -> Mapping[str, QueuedPrompt]:
        """`find` for many at once, by id."""
        ...

    async def repeats(self, stem: str) -> list[QueuedPrompt]:
        """Prompts whose id is `stem`, an underscore and text without one; the oldest first."""
        ...

    async def pending(self, before: int | None = None, limit: int | None = None) -> list[QueuedPrompt]:
        """Pending prompts, the oldest first: all, or the newest `limit` before an offset."""
        ...

    async def history(self, before: int | None = None, limit: int = 100) -> list[QueuedPrompt]:
        """Answered prompts, the oldest answer first: the newest `limit` whose answer is before an offset."""
        ...

    async def entries(self, limit: int | None = None, before: int | None = None) -> Page:
        """The newest `limit` readable entries before an offset, or all."""
        ...

    def follow(self, position: int) -> AsyncGenerator[Page, None]:
        """Yields pages with new entries since `position`, without end."""
        ...

    async def close(self) -> None: ...


async def own_prompts(queue: PromptQueue, prompts: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
    """Only handrail's own: any program can write a prompt with any id into the log."""
    origins = await queue.origins([each.request_id for each in prompts]) if prompts else {}
    return [each for each in prompts if each.request_id in origins and origins[each.request_id].is_own]
