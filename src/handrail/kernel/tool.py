"""A tool is one declaration: data and one async function.

Confirmation, evidence, audit, MCP hints, the HTTP route, the command line and the docs follow from it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.content import Part, Resource, ResourceLink, Text
from handrail.kernel.dialect import Dialect
from handrail.kernel.target import Target
from handrail.ports.approval_card import ChangePart, ChosenPart
from handrail.ports.consents import ConsentRequest
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure, Reported
from handrail.ports.prompts import ApprovedAction

Schema = Mapping[str, Any]
PortT = TypeVar("PortT")
ParamsT = TypeVar("ParamsT")


@dataclass(frozen=True, slots=True)
class Picture:
    """What a person is shown beside the words, as PNG; `name` is its file among the evidence."""

    name: str
    alt: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CallSubject:
    """What a call is about, as data: who shows it puts it into words in the person's language."""

    object: str = ""
    """The file, element, address or tool. Empty: the preview's path or command."""
    kind: str = ""
    """What the object is, such as an element's role."""
    within: str = ""
    """The page, window, server or app that it belongs to."""
    reason: str = ""
    """Why the caller wants it, in the caller's own words."""
    parts: Sequence[Sequence[str]] = ()
    """Of a command: each program that it starts, with its arguments."""
    can_undo: bool = False
    leaves: bool = False
    """Something goes to another machine."""


class Difference(NamedTuple):
    """Of a question that is asked again: what `was` so, or is so `now`; neither for what it does not quote."""

    which: Literal["was", "now", ""]
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.which}: {self.name}: {self.value}" if self.which else self.value


@dataclass(frozen=True, slots=True)
class Preview:
    """All that will happen, shown to a person before it does.

    `binding` joins the parameters in the approval's digest: when it differs at execution,
    what was approved is not what would be done. `pictures` are worth their time only where `call.is_shown`.
    """

    summary: str
    about: CallSubject = field(default_factory=CallSubject, kw_only=True)
    path: str | None = None
    place: str | None = None
    """On the web, as `Target.place`."""
    app: str | None = None
    diff: str | None = None
    command: str | None = None
    cwd: str | None = None
    binding: Mapping[str, str] = field(default_factory=dict)
    state: Any = None
    undoes: str | None = None
    """The execution that would be taken back."""
    pictures: Sequence[Picture] = ()
    facts: Sequence[tuple[str, str]] = ()
    """What a person should know beside the parameters, such as where a form is sent and what is in it."""
    parts: Sequence[ChangePart] = ()
    """What a person may take by itself, or edit; needs `Tool.narrow`."""
    is_closed: bool = False
    """The caller may not read what the diff shows: only people see it, and never the caller's own program."""
    unseen: str | None = None
    """Why the target can't be seen in a picture; None where it can, or where there is nothing to see."""
    changed: Sequence[Difference] = ()
    """What has changed since a person said yes: they are asked again."""
    warrant: ApprovedAction | None = None
    """What the prompt says for another program, which checks it before it acts on our word."""

    executor: str | None = None
    """The program that carries out what `warrant` says. The gate issues it the call's token, and it uses that up."""

    consent: ConsentRequest | None = None
    """What a person may allow for good, for this caller."""
    shown_params: Any = None
    """The parameters as people and the evidence see them, where they hold a secret. An approval binds the real ones."""
    masked: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The secrets that `shown_params` leaves out, by name: for the person who is asked, and kept nowhere."""

    @property
    def where(self) -> str | None:
        """Where a yes for the rest of a task holds."""
        return Target(place=self.place, app=self.app).where if self.consent is None else self.consent.place


@dataclass(frozen=True, slots=True)
class NoChange:
    """A preview that found the answer already: nothing will happen, nobody is asked."""

    result: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """A result with attachments, for faces that can show them.

    `text` is the result as a model reads it best; without it, that is the result's JSON.
    """

    result: Any
    content: Sequence[Part] = ()
    text: str | None = None
    kept_result: Any = None
    """The result as the evidence keeps it, where it holds a secret."""
    notes: Sequence[str] = ()
    """What a caller should know beside the result, such as what was left out of it."""
    is_whole: bool = False
    """`content` is everything that there is to read: the result is not put into words beside it."""

    @property
    def words(self) -> str:
        """As a model reads it where it gets nothing but text."""
        if self.is_whole and self.text is None:
            said = "\n".join(_words(part) for part in self.content) or "(nothing)"
        else:
            said = msgspec.json.encode(self.result).decode() if self.text is None else self.text
        return "\n".join((said, *self.notes))

    @property
    def value(self) -> Any:
        """The result, for faces that have room for nothing else."""
        return {"text": self.words} if self.result is None and self.is_whole else self.result


def _words(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Resource(uri, text) if text:
            return f"{uri}:\n{text}"
        case Resource(uri) | ResourceLink(uri):
            return f"[{uri}]"
        case _:
            return f"[{part.mime}]"


class FailedReply(Reported):
    """Another program carried the call out and says that it failed. `reply` is what it said."""

    def __init__(self, message: str, reply: Reply, *, code: str) -> None:
        super().__init__(message, code=code)
        self.reply = reply


def no_target(params: Any) -> Target:
    return Target()


@dataclass(frozen=True, slots=True)
class Tool(Generic[PortT, ParamsT]):
    """`run(port, call, params, preview)`; the docstring of `run` is what the agent reads.

    What policy rules can match is told by `target` from the parameters alone, or where these don't tell it by `locate`.
    Without a task, a caller's changes keep their order: all of them, or those for which `lane` tells the same.
    `has_own_timeouts`: the port bounds every step itself, because waits for a person may fall between them.
    """

    name: str
    title: str
    params: type[ParamsT]
    input_schema: Schema
    run: Callable[[PortT, Call, ParamsT, Preview | None], Awaitable[Any]]
    output_schema: Schema | None = None
    effect: Effect | Callable[[ParamsT], Effect] = Effect.READ
    errors: Sequence[type[Failure]] = ()
    deadline_ms: int = 30_000
    is_idempotent: bool = False
    preview: Callable[[PortT, Call, ParamsT], Awaitable[Preview | NoChange]] | None = None
    narrow: Callable[[PortT, Call, Preview, Sequence[ChosenPart]], Awaitable[Preview]] | None = None
    """From what was proposed and what a person took of it, the preview of what is then done."""
    target: Callable[[ParamsT], Target] = no_target
    locate: Callable[[PortT, Call, ParamsT], Awaitable[Target]] | None = None
    has_own_timeouts: bool = False
    lane: Callable[[ParamsT], str] | None = None
    normalize: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    is_for_agents: bool = True
    face: str | None = None
    """The only face whose calls reach it: for what a feature's own service calls, and is in no list."""
    is_for_developers: bool = False
    """It runs in developer mode alone; in any other it is switched off and in no list."""
    asks_early: bool = False
    """Its question may be put while calls about other files still wait: what it shows depends on one file alone."""
    alias: str = ""
    """What agents call it, where its name isn't one that every client takes."""
    words: str | None = None
    """The description, where it isn't the docstring of `run`: of tools that are found while the program runs."""
    forwards_to: Callable[[PortT, Any], tuple[str, Any]] | None = None
    """From its parameters as they came, the name and parameters of another tool: the gate makes that call in its place.

    `run` is never called, and policy, approval and records know only the other tool. InvalidParams.
    """
    finds_tools: bool = False
    """It helps to find and call the others: compact lists have only such tools, and other lists have none of them."""
    ends_task: bool = False
    """When it has run, the caller's task is over, and what a person allowed for it."""

    @property
    def description(self) -> str:
        return " ".join((self.run.__doc__ or "").split()) if self.words is None else self.words

    @property
    def listed_name(self) -> str:
        return self.alias or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All by which it can be called."""
        return (self.name, self.alias) if self.alias else (self.name,)

    @property
    def has_targets(self) -> bool:
        return self.locate is not None or self.target is not no_target

    def effect_of(self, params: ParamsT) -> Effect:
        return self.effect if isinstance(self.effect, Effect) else self.effect(params)

    @property
    def strongest_effect(self) -> Effect:
        """What the docs and MCP hints say where the effect depends on the parameters."""
        return self.effect if isinstance(self.effect, Effect) else Effect.WRITE


RESOURCES_KEYWORD = "x-handrail-resources"
"""In a prompt's schema: the name of the kind that an argument's value comes from."""


@dataclass(frozen=True, slots=True)
class ResourceKind:
    """Things that can be read by an address of their own. Both of its tools only read.

    `listing` takes nothing and results in a list of `ListedResource`; `reading` takes a `uri` and replies with Resource
    parts.
    """

    name: str
    title: str
    description: str
    template: str
    """RFC 6570, of the addresses."""
    mime: str
    listing: Tool[Any, Any]
    reading: Tool[Any, Any]


class ListedResource(NamedTuple):
    """`title` and `description` where the thing has its own; otherwise its kind's title tells what it is."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Surface:
    """Tools that share a port and an error dialect.

    `prompts` are texts for a person to hand to an agent: they pass the gate as tools do and reply with what is to be
    said. Their arguments are texts.
    """

    name: str
    dialect: Dialect
    port: Any
    tools: Sequence[Tool[Any, Any]]
    prompts: Sequence[Tool[Any, Any]] = ()
    resources: Sequence[ResourceKind] = ()
