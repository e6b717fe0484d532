"""Parameters that many of these tools share, spelled and explained once."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.core.mimo.catalogue import MAX_TIMEOUT_MS

TabId = Annotated[int, Meta(ge=0, description="Default: the tab that the task is at.")]
TimeoutMs = Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)]
ClickId = Annotated[str, Meta(min_length=1, max_length=64, description="From browser_dom_index.")]
XPath = Annotated[str, Meta(min_length=1, max_length=4096, description="In place of clickId.")]
Url = Annotated[str, Meta(min_length=1, max_length=8192, description="http, https or about:blank.")]
Colour = Literal["grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"]
Dialog = Annotated[
    Literal["accept", "dismiss"], Meta(description="How to answer a dialog that this opens; usually it is dismissed.")
]


class BrowserParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    timeout_ms: TimeoutMs | UnsetType = UNSET


class TabParams(BrowserParams, frozen=True, kw_only=True):
    tab_id: TabId | UnsetType = UNSET


class OneTabParams(BrowserParams, frozen=True, kw_only=True):
    tab_id: Annotated[int, Meta(ge=0, description="A tab of the task; browser_tabs lists them.")]


class ElementParams(TabParams, frozen=True, kw_only=True):
    click_id: ClickId | UnsetType = UNSET
    xpath: XPath | UnsetType = UNSET


class WindowParams(TabParams, frozen=True, kw_only=True):
    """A part of a long text, by characters."""

    offset: Annotated[int, Meta(ge=0, description="Where to begin, in characters.")] = 0
    limit: Annotated[int, Meta(ge=1, le=500_000, description="How many characters at most.")] = 20_000


ONE_ELEMENT = {"oneOf": [{"required": ["clickId"]}, {"required": ["xpath"]}]}
AT_MOST_ONE_ELEMENT = {"not": {"required": ["clickId", "xpath"]}}


def with_text_ids(raw: dict[str, Any]) -> dict[str, Any]:
    """Agents send an element's number as a number, too."""
    given = raw.get("clickId")
    return {**raw, "clickId": str(given)} if type(given) is int else raw


def for_plugin(params: BrowserParams, *left_out: str) -> dict[str, Any]:
    """As the action takes them: what is unset stays out, and what is for us alone."""
    given: dict[str, Any] = msgspec.to_builtins(params)
    return {name: value for name, value in given.items() if name not in left_out}


def element_of(params: BrowserParams) -> dict[str, str]:
    """The element that is named, if one is."""
    given = ((name, getattr(params, member, UNSET)) for name, member in (("clickId", "click_id"), ("xpath", "xpath")))
    return {name: value for name, value in given if value is not UNSET}
