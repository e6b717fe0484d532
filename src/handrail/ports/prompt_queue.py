"""The queue between those who ask and the person who answers."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.prompt_entries import Entry, RequestEntry, ResponseEntry
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import NOTHING_MASKED, Prompt


@dataclass(frozen=True, slots=True)
class Page:
    """Entries in the order of the log, and where it goes on after them."""

    entries: Sequence[Entry]
    position: int
    is_restart: bool = False
    """The log was replaced by another: what was read before isn't part of it."""
    places: Sequence[int] = ()
    """Where in the log each of the entries begins."""
    nameless: Sequence[int] = ()
    """Where requests begin that have no usable requestId: nobody can answer them."""


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """A request in the queue, and the answer that counts: the first one. Pending while there is none."""

    request: RequestEntry
    place: int
    """Where in the log the request begins; later ones have a higher place."""
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
    """An answer that is in the log, and what the person who gave it should know."""

    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """The answer as the one who asked gets it: secrets are filled in again."""

    request_id: str
    response: PromptResponse = field(repr=False)
    masked: frozenset[str] = frozenset()
    """Keys of secret fields whose values did not reach us; they hold the mask."""


@dataclass(frozen=True, slots=True)
class AnswerChannel:
    """Another place than the queue where a question is put. The first answer wins, wherever it is given.

    `answer` gives None when there is none from that place: the question stays open. It is cancelled with the
    message "answered" once somebody else was first.
    """

    by: str
    answer: Callable[[], Awaitable[PromptResponse | None]]
    is_terminal: bool = False
    """It is the terminal of this process: that may prove that a person is present (`ports/presence.py`)."""


FindChannels = Callable[[Prompt], Sequence[AnswerChannel]]


def no_channels(prompt: Prompt) -> Sequence[AnswerChannel]:
    """A question that is put in the queue alone."""
    return ()


class ApprovalSubject(msgspec.Struct, frozen=True):
    """What an approval is about, as the gate knows it: by this a team decides who may answer it."""

    identity: str
    """Whose call it is: `Caller.agent`."""
    tool: str
    effect: str
    project: str
    place: str = ""
    server: str = ""
    node: str = ""
    """The node of a team whose question it is; its own gate asks."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who posted a prompt, as far as it is known. Only `is_own` ones are handrail's, whatever the prompt says."""

    by: str
    is_own: bool = False
    shown: str | None = None
    """The digest of the prompt as it was posted; None where that was not noted."""
    waits: bool = False
    """Its poster waits for the answer on a socket, so handrail can see when that program is gone."""
    about: ApprovalSubject | None = None
    """Only of the gate's own approvals, and only where the store keeps it."""


CallerState = Literal["waiting", "gone", "unknown"]


def caller_state(origin: Origin | None, *, is_waiting: bool) -> CallerState:
    """What is known about the program that asked. One that only reads the log leaves no sign of itself."""
    if is_waiting:
        return "waiting"
    return "gone" if origin is not None and (origin.is_own or origin.waits) else "unknown"


OWN_ORIGIN = Origin("handrail", is_own=True)


class PromptQueue(Protocol):
    """Questions to people. Every method may raise InputOutput and Conflict (a lock that nobody lets go)."""

    @property
    def location(self) -> str:
        """Where the log is, for people to read."""
        ...

    async def request(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        origin: Origin | None = None,
    ) -> str:
        """The requestId once the prompt is on disk; one is made up where none is given. `origin` tells who asks.

        InvalidParams names the fields that break the contract; Conflict: this requestId is taken.
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
        """Returns once the answer is on disk. The first one wins: Conflict for all others. `by` tells who gave it.

        `shown` is the digest of what the person saw (`kernel/prompts/bundles.py`); Conflict where it is not this.
        `proof` is a `ProofSource` (`ports/presence.py`); PresenceNeeded where the answer needs one and this is none.
        NotFound: no such request; InvalidParams names the fields that don't fit the prompt.
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
        """`request` and `wait` in one, without a gap in which a secret could be lost."""
        ...

    async def wait(
        self, request_id: str, *, channels: Sequence[AnswerChannel] = (), masked: Mapping[str, str] = NOTHING_MASKED
    ) -> PromptAnswer:
        """Waits without limit, also for a request that is not there yet. While it waits, `is_waiting` is true.

        Of several who wait for one answer, the last to come gets its secrets. `masked` are secrets of the question
        itself: no log has them, and the person who is asked may see them.
        """
        ...

    async def masked(self, request_id: str) -> Mapping[str, str]:
        """The secrets of a question, for the person who is asked; empty when its caller is gone or has none."""
        ...

    async def is_waiting(self, request_id: str) -> bool:
        """Whether somebody, in any process, still waits for this answer."""
        ...

    async def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        """`is_waiting` for many at once: those of the ids that somebody still waits for."""
        ...

    async def answered_by(self, request_ids: Collection[str]) -> Mapping[str, str]:
        """Who gave the answers, as far as it was told: "console:ada", "terminal:ada", "client:claude-code/2"."""
        ...

    async def origins(self, request_ids: Collection[str]) -> Mapping[str, Origin]:
        """Who posted them. What is missing was written to the log by another program."""
        ...

    async def proof_of(self, request_id: str) -> Mapping[str, Any] | None:
        """What proved that a person was present when this was answered; None where that wasn't needed.

        PresenceNeeded where it was needed and is missing: such an answer counts for nothing.
        """
        ...

    async def find(self, request_id: str) -> QueuedPrompt | None:
        """Pending or answered, however long ago; None for an id that nobody has asked with."""
        ...

    async def find_all(self, request_ids: Collection[str]) -> Mapping[str, QueuedPrompt]:
        """`find` for many at once, by id."""
        ...

    async def repeats(self, stem: str) -> list[QueuedPrompt]:
        """Prompts whose id is `stem`, an underscore and something without one; the oldest first."""
        ...

    async def pending(self, before: int | None = None, limit: int | None = None) -> list[QueuedPrompt]:
        """What nobody has answered yet, the oldest first: all, or the newest `limit` that begin before a place."""
        ...

    async def history(self, before: int | None = None, limit: int = 100) -> list[QueuedPrompt]:
        """What was answered, the oldest answer first: the newest `limit` whose answer begins before a place."""
        ...

    async def entries(self, limit: int | None = None, before: int | None = None) -> Page:
        """The newest `limit` entries that can be read, or all; of those that begin before a place."""
        ...

    def follow(self, position: int) -> AsyncGenerator[Page, None]:
        """Each page with what came since `position`, as it comes; without end."""
        ...

    async def close(self) -> None: ...
