"""Browser actions that read a page or wait for it."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.browser.bus.browser_action import (
    TEXT_PART,
    ArtifactSlot,
    BrowserAction,
    Result,
    TabParams,
    TextPartParams,
    XPath,
)
from handrail.ports.browser import Box
from handrail.ports.effect import Effect

_Scope = Literal["viewport", "document"]
_Text = Annotated[str, Meta(min_length=1, max_length=1000)]
_Last = Annotated[int, Meta(ge=1, le=200)]


class Element(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    click_id: str
    tag: str
    role: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    value: str | UnsetType = UNSET
    states: list[str] | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    xpath: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


class DomIndexParams(TabParams, frozen=True, kw_only=True):
    scope: _Scope = "document"
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=5000)] = 100
    boxes: Annotated[bool, Meta(description="With places in pixels.")] = False
    assign_attr: Annotated[bool, Meta(description="Write data-mimo_click_id.")] = False


class DomIndexResult(Result, frozen=True, kw_only=True):
    elements: list[Element]
    total: int | UnsetType = UNSET
    url: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    next_offset: int | UnsetType = UNSET


DOM_INDEX = BrowserAction(
    "browser_dom_index", "Index a page", DomIndexParams, DomIndexResult, 10, Effect.READ, is_idempotent=True
)


class PageParams(TabParams, frozen=True, kw_only=True):
    scope: Annotated[_Scope, Meta(description="`document`: all of it.")] = "viewport"
    offset: Annotated[int, Meta(ge=0, description="In lines.")] = 0
    limit: Annotated[int, Meta(ge=200, le=100_000, description="In characters.")] = 6000


class PageResult(Result, frozen=True, kw_only=True):
    """`above` and `below`: how many pixels of the page are out of view in that direction."""

    lines: list[str]
    total: int
    url: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    next_offset: int | UnsetType = UNSET
    above: int | UnsetType = UNSET
    below: int | UnsetType = UNSET


PAGE = BrowserAction("browser_page", "View a page", PageParams, PageResult, 10, Effect.READ, is_idempotent=True)


class XPathScanParams(TabParams, frozen=True, kw_only=True):
    scope: _Scope = "document"
    limit: Annotated[int, Meta(ge=1, le=5000)] = 100


class XPathElement(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    xpath: str
    tag: str
    text: str | UnsetType = UNSET
    click_id: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


class XPathScanResult(Result, frozen=True, kw_only=True):
    elements: list[XPathElement]
    total: int | UnsetType = UNSET


XPATH_SCAN = BrowserAction(
    "browser_xpath_scan", "Scan XPaths", XPathScanParams, XPathScanResult, 10, Effect.READ, is_idempotent=True
)


class FindTextParams(TabParams, frozen=True, kw_only=True):
    text: _Text


class TextMatch(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    text: str
    click_id: str | UnsetType = UNSET
    tag: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


class FindTextResult(Result, frozen=True, kw_only=True):
    matches: list[TextMatch]
    total: int


FIND_TEXT = BrowserAction(
    "browser_find_text", "Find a text", FindTextParams, FindTextResult, 10, Effect.READ, is_idempotent=True
)


class ReadabilityResult(Result, frozen=True, kw_only=True):
    markdown: str = ""
    title: str | UnsetType = UNSET
    artifact_id: str | UnsetType = UNSET
    content_length_bytes: int | UnsetType = UNSET
    truncated: bool = False
    next_offset: int | UnsetType = UNSET


READABILITY = BrowserAction(
    "browser_readability_extract",
    "Read a page",
    TextPartParams,
    ReadabilityResult,
    10,
    Effect.READ,
    is_idempotent=True,
    artifact=ArtifactSlot("artifact", "readability", "text/markdown"),
    for_server=TEXT_PART,
)


class HtmlParams(TextPartParams, frozen=True, kw_only=True):
    xpath: XPath | UnsetType = UNSET


class HtmlResult(Result, frozen=True, kw_only=True):
    artifact_id: str
    url: str


GET_HTML = BrowserAction(
    "browser_get_html",
    "Read HTML",
    HtmlParams,
    HtmlResult,
    10,
    Effect.READ,
    is_idempotent=True,
    artifact=ArtifactSlot("artifact", "html", "text/html"),
    for_server=TEXT_PART,
)


class ScreenshotParams(TabParams, frozen=True, kw_only=True):
    full_page: bool = False


class ScreenshotResult(Result, frozen=True, kw_only=True):
    artifact_id: str
    url: str
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET
    screenshot_uploaded: Literal[True]


SCREENSHOT = BrowserAction(
    "browser_screenshot",
    "Take a screenshot",
    ScreenshotParams,
    ScreenshotResult,
    10,
    Effect.READ,
    is_idempotent=True,
    artifact=ArtifactSlot("screenshot", "screenshot", "image/png"),
    optional_for_plugin=("clickId", "xpath", "asking", "point", "also"),
)


class PdfResult(Result, frozen=True, kw_only=True):
    artifact_id: str
    url: str


PDF = BrowserAction(
    "browser_pdf",
    "Print to PDF",
    TabParams,
    PdfResult,
    30,
    Effect.READ,
    is_idempotent=True,
    artifact=ArtifactSlot("artifact", "pdf", "application/pdf"),
)


class LogParams(TabParams, frozen=True, kw_only=True):
    limit: _Last = 50


class ConsoleMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    level: str
    text: str
    timestamp: float
    url: str | UnsetType = UNSET
    line: int | UnsetType = UNSET


class ConsoleResult(Result, frozen=True, kw_only=True):
    messages: list[ConsoleMessage]
    total: int


CONSOLE = BrowserAction(
    "browser_console", "Read the console", LogParams, ConsoleResult, 5, Effect.READ, is_idempotent=True
)


class FailedRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    url: str
    method: str
    timestamp: float
    status: int | UnsetType = UNSET
    error: str | UnsetType = UNSET


class RequestsResult(Result, frozen=True, kw_only=True):
    requests: list[FailedRequest]
    total: int


REQUESTS = BrowserAction(
    "browser_requests", "Read failed requests", LogParams, RequestsResult, 5, Effect.READ, is_idempotent=True
)


class WaitForParams(TabParams, frozen=True, kw_only=True):
    text: _Text | UnsetType = UNSET
    text_gone: _Text | UnsetType = UNSET
    idle_ms: Annotated[int, Meta(ge=1, le=60_000)] | UnsetType = UNSET


class WaitForResult(Result, frozen=True, kw_only=True):
    met: Literal["text", "textGone", "idle"]


WAIT_FOR = BrowserAction(
    "browser_wait_for",
    "Wait",
    WaitForParams,
    WaitForResult,
    30,
    Effect.READ,
    is_idempotent=True,
    has_own_wait=True,
    schema={"oneOf": [{"required": [name]} for name in ("text", "textGone", "idleMs")]},
)


class LoadedResult(Result, frozen=True, kw_only=True):
    status: Literal["complete"]


WAIT_FOR_LOADED = BrowserAction(
    "browser_wait_for_loaded",
    "Wait until loaded",
    TabParams,
    LoadedResult,
    20,
    Effect.READ,
    is_idempotent=True,
    has_own_wait=True,
)


class AttachResult(Result, frozen=True, kw_only=True):
    attached: Literal[True]


DEBUGGER_ATTACH = BrowserAction(
    "browser_debugger_attach", "Attach the debugger", TabParams, AttachResult, 5, Effect.READ, is_idempotent=True
)


class DetachResult(Result, frozen=True, kw_only=True):
    detached: Literal[True]


DEBUGGER_DETACH = BrowserAction(
    "browser_debugger_detach", "Detach the debugger", TabParams, DetachResult, 5, Effect.READ, is_idempotent=True
)
