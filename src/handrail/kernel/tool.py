"""The declaration of a tool: data and one async function.

Approval, evidence, audit, MCP hints, the HTTP route, the command line and the docs follow from it.
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
    """A PNG that a person sees with the question; `name` is its file in the evidence."""

    name: str
    alt: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CallSubject:
    """What a call is about, as data; the console and the terminal put it into words in the person's language."""

    object: str = ""
    """The file, element, address or tool. Empty means the preview's path or command."""
    kind: str = ""
    """What the object is, such as an element's role."""
    within: str = ""
    """The page, window, server or app that it belongs to."""
    reason: str = ""
    """Why the caller wants it, in the caller's own words."""
    parts: Sequence[Sequence[str]] = ()
    """For a command: each program that it starts, with its arguments."""
    can_undo: bool = False
    leaves: bool = False
    """Something is sent to another machine."""


class Difference(NamedTuple):
    """A fact that changed before a question is repeated: `was` before, or is `now`; empty if it isn't quoted."""

    which: Literal["was", "now", ""]
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.which}: {self.name}: {self.value}" if self.which else self.value


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything that a call will do, shown to a person before it runs.

    `binding` is part of the approval's digest: if it differs at execution, the call would do something else than what
    was approved. Take `pictures` only if `call.is_shown`, because they take time.
    """

    summary: str
    about: CallSubject = field(default_factory=CallSubject, kw_only=True)
    path: str | None = None
    place: str | None = None
    """On the web, like `Target.place`."""
    app: str | None = None
    diff: str | None = None
    command: str | None = None
    cwd: str | None = None
    binding: Mapping[str, str] = field(default_factory=dict)
    state: Any = None
    undoes: str | None = None
    """The execution that would be undone."""
    pictures: Sequence[Picture] = ()
    facts: Sequence[tuple[str, str]] = ()
    """What a person should know in addition to the parameters, such as where a form is sent and what is in it."""
    parts: Sequence[ChangePart] = ()
    """Parts that a person may approve separately or edit; requires `Tool.narrow`."""
    is_closed: bool = False
    """The caller may not read what the diff shows, so only people see it, and never through the caller's program."""
    unseen: str | None = None
    """Why the target isn't visible in a picture; None if it is, or if there is nothing to see."""
    changed: Sequence[Difference] = ()
    """What has changed since a person approved the call, who is then asked again."""
    warrant: ApprovedAction | None = None
    """The action as another program knows it, which checks it before executing the call."""
    executor: str | None = None
    """The program that executes `warrant`. The gate issues the call's token for it, and it uses the token up."""
    consent: ConsentRequest | None = None
    """What a person may always allow this caller."""
    shown_params: Any = None
    """The parameters for people and the evidence, if the real ones contain a secret. Approvals bind the real ones."""
    masked: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The secrets that `shown_params` leaves out, by name, for the person who is asked; they are never stored."""

    @property
    def where(self) -> str | None:
        """The place or app to which an approval for the rest of a task is limited."""
        return Target(place=self.place, app=self.app).where if self.consent is None else self.consent.place


@dataclass(frozen=True, slots=True)
class NoChange:
    """Returned in place of a preview if nothing has to change: nobody is asked, and `result` is the answer."""

    result: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """A result with attachments, for faces that can show them.

    `text` is the result in the best form for a model; the default is the result's JSON.
    """

    result: Any
    content: Sequence[Part] = ()
    text: str | None = None
    kept_result: Any = None
    """The result for the evidence, if the real one contains a secret."""
    notes: Sequence[str] = ()
    """What the caller should know in addition to the result, such as what was left out."""
    is_whole: bool = False
    """`content` is complete, so the result isn't added as text."""

    @property
    def words(self) -> str:
        """The reply as text only, for models that get nothing else."""
        if self.is_whole and self.text is None:
            text = "\n".join(_words(part) for part in self.content) or "(nothing)"
        else:
            text = msgspec.json.encode(self.result).decode() if self.text is None else self.text
        return "\n".join((text, *self.notes))

    @property
    def value(self) -> Any:
        """The result, for faces that can return only a value."""
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
    """Another program executed the call and reports that it failed. `reply` is its answer."""

    def __init__(self, message: str, reply: Reply, *, code: str) -> None:
        super().__init__(message, code=code)
        self.reply = reply


def no_target(params: Any) -> Target:
    return Target()


@dataclass(frozen=True, slots=True)
class Tool(Generic[PortT, ParamsT]):
    """The docstring of `run(port, call, params, preview)` is the description that agents read.

    `target` returns what policy rules can match, from the parameters; `locate` does if the parameters don't say it.
    Without a task, a caller's changes run in order: all of them, or those for which `lane` returns the same.
    `has_own_timeouts`: the port limits each step itself, because it may wait for a person between steps.
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
    """From the proposed preview and the parts that a person approved, makes the preview of what is done."""
    target: Callable[[ParamsT], Target] = no_target
    locate: Callable[[PortT, Call, ParamsT], Awaitable[Target]] | None = None
    has_own_timeouts: bool = False
    lane: Callable[[ParamsT], str] | None = None
    normalize: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    is_for_agents: bool = True
    face: str | None = None
    """If set, only this face may call it, and no list contains it: for tools that a feature's own service calls."""
    is_for_developers: bool = False
    """It works only in developer mode; otherwise it is turned off and in no list."""
    asks_early: bool = False
    """It may ask while calls about other files still wait, because its preview depends on only one file."""
    alias: str = ""
    """Its name for agents, if some clients don't accept the real one."""
    words: str | None = None
    """The description, if it isn't the docstring of `run`, for dynamic tools."""
    forwards_to: Callable[[PortT, Any], tuple[str, Any]] | None = None
    """Converts its raw parameters to the name and parameters of another tool, which the gate calls instead.

    `run` is never called, and policy, approval and records see only the other tool. InvalidParams.
    """
    finds_tools: bool = False
    """It finds and calls other tools. Compact lists contain only such tools, other lists none of them."""
    ends_task: bool = False
    """After it has run, the caller's task is over, and so are the grants for it."""

    @property
    def description(self) -> str:
        return " ".join((self.run.__doc__ or "").split()) if self.words is None else self.words

    @property
    def listed_name(self) -> str:
        return self.alias or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which it can be called."""
        return (self.name, self.alias) if self.alias else (self.name,)

    @property
    def has_targets(self) -> bool:
        return self.locate is not None or self.target is not no_target

    def effect_of(self, params: ParamsT) -> Effect:
        return self.effect if isinstance(self.effect, Effect) else self.effect(params)

    @property
    def strongest_effect(self) -> Effect:
        """The effect for the docs and MCP hints, if it depends on the parameters."""
        return self.effect if isinstance(self.effect, Effect) else Effect.WRITE


RESOURCES_KEYWORD = "x-handrail-resources"
"""In a prompt's schema: the name of the resource kind from which an argument's value comes."""


@dataclass(frozen=True, slots=True)
class ResourceKind:
    """Resources that can be read by address. Both of its tools only read.

    `listing` has no parameters and returns a list of `ListedResource`; `reading` takes a `uri` and replies with
    Resource parts.
    """

    name: str
    title: str
    description: str
    template: str
    """The template of the addresses (RFC 6570)."""
    mime: str
    listing: Tool[Any, Any]
    reading: Tool[Any, Any]


class ListedResource(NamedTuple):
    """`title` and `description` are empty if the resource has none of its own; its kind's title is used then."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Surface:
    """Tools that share a port and an error dialect.

    `prompts` are texts that a person gives to an agent. They pass the gate like tools and reply with the text; their
    arguments are strings.
    """

    name: str
    dialect: Dialect
    port: Any
    tools: Sequence[Tool[Any, Any]]
    prompts: Sequence[Tool[Any, Any]] = ()
    resources: Sequence[ResourceKind] = ()
