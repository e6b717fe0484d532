"""Declares a browser action: its parameters, result, timeout, effect and whether it can be repeated.

The tools, the bus's checks and the extension's `web/protocol` are derived from these declarations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, UnsetType

from handrail.ports.effect import Effect

MAX_TIMEOUT_MS = 600_000
_REPORT_WITHIN = 0.5  # for a plugin to report the result after it has waited for the whole time

TabId = Annotated[int, Meta(ge=0)]
"""If unset, the task's current tab."""
TimeoutMs = Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)]
ClickId = Annotated[str, Meta(min_length=1, max_length=64, description="From browser_page.")]
XPath = Annotated[str, Meta(min_length=1, max_length=4096, description="In place of clickId.")]
Url = Annotated[str, Meta(min_length=1, max_length=8192)]
Colour = Literal["grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"]
Dialog = Annotated[Literal["accept", "dismiss"], Meta(description="How to answer a dialog; usually dismissed.")]


class ActionParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    timeout_ms: TimeoutMs | UnsetType = UNSET


class TabParams(ActionParams, frozen=True, kw_only=True):
    tab_id: TabId | UnsetType = UNSET


class OneTabParams(ActionParams, frozen=True, kw_only=True):
    tab_id: Annotated[int, Meta(ge=0, description="From browser_tabs.")]


class ElementParams(TabParams, frozen=True, kw_only=True):
    click_id: ClickId | UnsetType = UNSET
    xpath: XPath | UnsetType = UNSET


class TextPartParams(TabParams, frozen=True, kw_only=True):
    """Selects a part of a long text, in characters. The server cuts it; plugins don't get these parameters."""

    offset: Annotated[int, Meta(ge=0, description="In characters.")] = 0
    limit: Annotated[int, Meta(ge=1, le=500_000)] = 20_000


TEXT_PART = frozenset({"offset", "limit"})
ONE_ELEMENT = {"oneOf": [{"required": ["clickId"]}, {"required": ["xpath"]}]}
AT_MOST_ONE_ELEMENT = {"not": {"required": ["clickId", "xpath"]}}


class Result(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`warnings`: the action was done, but not entirely as expected."""

    warnings: list[str] | UnsetType = UNSET


class VisitResult(Result, frozen=True, kw_only=True):
    """`hops`: the pages on the way, including redirects, in order."""

    hops: list[str] | UnsetType = UNSET


class OpenedDialog(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    type: str
    message: str = ""
    answer: Literal["accepted", "dismissed"] | UnsetType = UNSET


class Download(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    filename: str
    url: str = ""
    state: str = ""


class Changes(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A summary of what an action changed.

    `look`: the page may look different, but no text and no element has changed. `closed`: its tab was closed.
    """

    navigated: str | UnsetType = UNSET
    dialog: OpenedDialog | UnsetType = UNSET
    new_tab: int | UnsetType = UNSET
    download: Download | UnsetType = UNSET
    added: list[str] | UnsetType = UNSET
    removed: list[str] | UnsetType = UNSET
    more: int | UnsetType = UNSET
    look: bool | UnsetType = UNSET
    closed: bool | UnsetType = UNSET


class InputResult(VisitResult, frozen=True, kw_only=True):
    changes: Changes | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ArtifactSlot:
    """An artifact that the action produces. The message to the plugin contains its upload URL."""

    place: Literal["screenshot", "artifact"]
    kind: str
    content_type: str


ParamsT = TypeVar("ParamsT", bound=ActionParams)
ResultT = TypeVar("ResultT", bound=Result)


@dataclass(frozen=True, slots=True)
class BrowserAction(Generic[ParamsT, ResultT]):
    """`schema`: what the JSON Schema of the parameters adds to their types.

    `for_server`: parameters of the tool that plugins don't get. `for_plugin`: parameters that the tool adds for the
    plugin. `optional_for_plugin`: texts that the server may add.
    """

    name: str
    title: str
    params: type[ParamsT]
    result: type[ResultT]
    seconds: float
    effect: Effect
    is_idempotent: bool = False
    artifact: ArtifactSlot | None = None
    has_own_wait: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)
    for_server: frozenset[str] = frozenset()
    for_plugin: tuple[str, ...] = ()
    optional_for_plugin: tuple[str, ...] = ()
    required: Sequence[str] = field(init=False)
    """The parameters that plugins always get."""

    def __post_init__(self) -> None:
        fields = msgspec.structs.fields(self.params)  # evaluates the annotations, which is too slow for each action
        names = [each.encode_name for each in fields if each.default is NODEFAULT and each.encode_name != "tabId"]
        object.__setattr__(self, "required", (*(["tabId"] if self.has_tab else []), *names, *self.for_plugin))

    @property
    def has_tab(self) -> bool:
        return "tab_id" in self.params.__struct_fields__

    @property
    def acts(self) -> bool:
        """Whether it changes something in the browser, so that it waits while a person has taken over."""
        return self.effect is Effect.UI_CONTROL

    def seconds_for(self, params: Mapping[str, Any]) -> float:
        timeout = params.get("timeoutMs")
        if timeout is None:
            return self.seconds
        return float(timeout) / 1000 + (_REPORT_WITHIN if self.has_own_wait else 0)

    def plugin_params(self, params: ParamsT) -> dict[str, Any]:
        """The parameters for the plugin, without unset ones and those for the server."""
        values: dict[str, Any] = msgspec.to_builtins(params)
        return {name: value for name, value in values.items() if name not in self.for_server}
