"""What a person is asked and what they answer, as contract 5 spells it, and the port to the queue between the two.

Knows no file and no rule: what these types can't say (limits, uniqueness, which member belongs to
which kind) is checked in `kernel/prompts/`.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec
from msgspec import UNSET, UnsetType

Status = Literal["ok", "canceled", "timeout"]
Scope = Literal["once", "task", "rule"]
Coverage = Literal["tool", "app"]
Priority = Literal["high", "medium", "low"]
TaskStatus = Literal["todo", "doing", "blocked", "done"]

MASK = "******"  # what the log holds in place of a secret


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object on the wire: camelCase, and what is unset is left out."""


class PromptImage(Wire, frozen=True, kw_only=True):
    path: str
    alt: str | UnsetType = UNSET


class PromptCommon(Wire, frozen=True, kw_only=True, tag_field="kind"):
    """What every kind may have."""

    title: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    allow_cancel: bool | UnsetType = UNSET
    images: tuple[PromptImage, ...] | UnsetType = UNSET


class KvField(Wire, frozen=True, kw_only=True):
    key: str
    label: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    placeholder: str | UnsetType = UNSET
    default: str | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    multiline: bool | UnsetType = UNSET
    secret: bool | UnsetType = UNSET


class KvPrompt(PromptCommon, frozen=True, kw_only=True, tag="kv"):
    """A form."""

    fields: tuple[KvField, ...]

    @property
    def secret_keys(self) -> frozenset[str]:
        return frozenset(field.key for field in self.fields if field.secret is True)


class ChoiceOption(Wire, frozen=True, kw_only=True):
    value: str
    label: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class ChoicePrompt(PromptCommon, frozen=True, kw_only=True, tag="choice"):
    """One of several, or some of several: the limits count for `multiple` alone."""

    options: tuple[ChoiceOption, ...]
    multiple: bool = False
    default: str | tuple[str, ...] | UnsetType = UNSET
    min_selections: int | UnsetType = UNSET
    max_selections: int | UnsetType = UNSET


class PromptTask(Wire, frozen=True, kw_only=True):
    draft_id: str = ""
    title: str = ""
    details: str = ""
    priority: Priority = "medium"
    status: TaskStatus = "todo"
    tags: tuple[str, ...] = ()


class TaskConfirmPrompt(PromptCommon, frozen=True, kw_only=True, tag="task_confirm"):
    """A list of tasks to edit, sort and confirm."""

    tasks: tuple[PromptTask, ...] = ()
    default_remark: str | UnsetType = UNSET


class Warrant(Wire, frozen=True, kw_only=True):
    """The one deed that an ok to this prompt allows, as the program that does it knows it: all 64 digits."""

    method: str
    params_digest: str


class ConsentSubject(Wire, frozen=True, kw_only=True):
    """The app's tool that would be called: a yes can be remembered, for it or for all of the app's tools."""

    app: str
    app_name: str
    tool: str


class Grant(Wire, frozen=True, kw_only=True):
    """What a yes allows beyond the one call: which tools, where, in which project, for whom, until when.

    `path` is a pattern; what was shown stands in it escaped (`kernel/glob.py`). `project` and `identity` are one each,
    or `*` for all. With a `task`, it ends with that task. In a response, what is left out means what was offered.
    """

    tools: tuple[str, ...] = ()
    path: str | UnsetType = UNSET
    place: str | UnsetType = UNSET
    app: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    server: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    identity: str | UnsetType = UNSET
    task: str | UnsetType = UNSET
    until: str | UnsetType = UNSET


class Offer(Wire, frozen=True, kw_only=True):
    """A scope that the person may choose, with the exact rule it creates; `once` creates none.

    The texts say the same for people, one line each, with nothing hidden in them.
    """

    scope: Scope
    grant: Grant | UnsetType = UNSET
    what: str | UnsetType = UNSET
    where: str | UnsetType = UNSET
    who: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    is_wide: bool = False
    """It reaches so far that it needs proof of presence."""


Risk = Literal["undoable", "leaves", "code", "secrets"]


class CardFact(Wire, frozen=True, kw_only=True):
    """Something to know. With a `code` it is a sentence of handrail's, and `value` what it is about."""

    name: str = ""
    value: str = ""
    code: str | UnsetType = UNSET


class Card(Wire, frozen=True, kw_only=True):
    """What an approval asks, as data; a client says it in the person's language. Only the gate's own have it."""

    agent: str
    identity: str
    tool: str
    effect: str
    project: str
    object: str = ""
    """The file, element, address, command or tool."""
    kind: str = ""
    """What the object is, such as an element's role."""
    within: str = ""
    """The page, window, server or app that it belongs to."""
    reason: str = ""
    """Why, in the agent's own words."""
    risks: tuple[Risk, ...] = ()
    notes: tuple[CardFact, ...] = ()
    unseen: CardFact | UnsetType = UNSET
    changed: tuple[CardFact, ...] = ()
    facts: tuple[CardFact, ...] = ()
    params: tuple[CardFact, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    """Of a command: each program that it starts, with its arguments."""
    digest: str = ""


class FileChangePrompt(PromptCommon, frozen=True, kw_only=True, tag="file_change_confirm"):
    """What is about to happen to a file, or which command is about to run. Every approval has this form."""

    path: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    diff: str | UnsetType = UNSET
    default_remark: str | UnsetType = UNSET
    scope: Warrant | UnsetType = UNSET
    consent: ConsentSubject | UnsetType = UNSET
    unseen: str | UnsetType = UNSET
    """Why the target can't be shown. A yes is then a choice to be made, and never the default."""
    changed: tuple[str, ...] | UnsetType = UNSET
    """What is different from what was allowed a moment ago, and not done."""
    offers: tuple[Offer, ...] | UnsetType = UNSET
    """How far a yes may reach, the narrowest first. Only the gate's own approvals have it."""
    critical: bool | UnsetType = UNSET
    """A rule marks this as critical: every yes needs proof of presence."""
    runs_later: str | UnsetType = UNSET
    """Why the file is code that runs later, such as "git hook"."""
    card: Card | UnsetType = UNSET
    """The same as data. Only the gate's own approvals have it."""
    bundle: str | UnsetType = UNSET
    """The same in similar approvals, which may be answered together (`kernel/prompts/bundles.py`)."""


class ResultPrompt(PromptCommon, frozen=True, kw_only=True, tag="result"):
    """A result to take note of."""

    markdown: str | UnsetType = UNSET


Prompt = KvPrompt | ChoicePrompt | TaskConfirmPrompt | FileChangePrompt | ResultPrompt


class PromptResponse(Wire, frozen=True, kw_only=True):
    """What the person did. Which members there are beside `status` depends on the kind of the prompt."""

    status: Status
    values: dict[str, str] | UnsetType = UNSET
    selection: str | tuple[str, ...] | UnsetType = UNSET
    tasks: tuple[PromptTask, ...] | UnsetType = UNSET
    remark: str | UnsetType = UNSET
    scope: Scope | UnsetType = UNSET
    covers: Coverage | UnsetType = UNSET
    """With the scope `rule`, where the prompt has a `consent`: what is remembered. Absent = this tool."""
    grant: Grant | UnsetType = UNSET
    """How far the yes reaches within its scope. Absent = the narrowest that was offered for the scope."""


class RequestEntry(Wire, frozen=True, kw_only=True):
    ts: str
    type: Literal["ui_prompt"] = "ui_prompt"
    action: Literal["request"] = "request"
    request_id: str
    run_id: str | UnsetType = UNSET
    prompt: Prompt


class ResponseEntry(Wire, frozen=True, kw_only=True):
    ts: str
    type: Literal["ui_prompt"] = "ui_prompt"
    action: Literal["response"] = "response"
    request_id: str
    run_id: str | UnsetType = UNSET
    response: PromptResponse


Entry = RequestEntry | ResponseEntry


@dataclass(frozen=True, slots=True)
class Page:
    """Entries in the order of the log, and where it goes on after them."""

    entries: Sequence[Entry]
    position: int
    is_restart: bool = False
    """The log was replaced by another: what was read before isn't part of it."""
    places: Sequence[int] = ()
    """Where in the log each of the entries begins."""


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
class Side:
    """Another place than the queue where a question is put. The first answer wins, wherever it is given.

    `answer` gives None when there is none from that place: the question stays open. It is cancelled with the
    message "answered" once somebody else was first.
    """

    by: str
    answer: Callable[[], Awaitable[PromptResponse | None]]
    is_terminal: bool = False
    """It is the terminal of this process: that may prove that a person is present (`ports/presence.py`)."""


Beside = Callable[[Prompt], Sequence[Side]]


def nowhere(prompt: Prompt) -> Sequence[Side]:
    """A question that is put in the queue alone."""
    return ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Who posted a prompt, as far as it is known. Only `is_own` ones are handrail's, whatever the prompt says."""

    by: str
    is_own: bool = False
    shown: str | None = None
    """The digest of the prompt as it was posted; None where that was not noted."""


OWN = Origin("handrail", is_own=True)


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
        `proof` is a `GivenProof` (`ports/presence.py`); PresenceNeeded where the answer needs one and this is none.
        NotFound: no such request; InvalidParams names the fields that don't fit the prompt.
        """
        ...

    async def ask(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        beside: Beside = nowhere,
        origin: Origin | None = None,
    ) -> PromptAnswer:
        """`request` and `wait` in one, without a gap in which a secret could be lost."""
        ...

    async def wait(self, request_id: str, *, beside: Sequence[Side] = ()) -> PromptAnswer:
        """Waits without limit, also for a request that is not there yet. While it waits, `is_waiting` is true.

        Of several who wait for one answer, the last to come gets its secrets.
        """
        ...

    async def is_waiting(self, request_id: str) -> bool:
        """Whether somebody, in any process, still waits for this answer."""
        ...

    async def still_waiting(self, request_ids: Collection[str]) -> Collection[str]:
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
