"""browser_dom_index of contract 2."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Element, Told, read
from handrail.surfaces.browser.wording import element_line, said


class Params(TabParams, frozen=True, kw_only=True):
    scope: Literal["viewport", "document"] = "document"
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=5000)] = 100
    boxes: Annotated[bool, Meta(description="Tell where each element is, in pixels of the viewport.")] = False
    assign_attr: Annotated[bool, Meta(description="Write the numbers into the page as data-mimo_click_id.")] = False


class Result(Told, frozen=True, kw_only=True):
    elements: list[Element]
    total: int | UnsetType = UNSET
    url: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    next_offset: int | UnsetType = UNSET


async def browser_dom_index(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List what can be acted on in the page, one line an element (`12 button "Save"`), what is in view first.
    The number is the `clickId` for the other tools; it stays with its element. Long pages come in parts: go on
    with `offset`.
    """
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    # The console draws the boxes on the last picture; an agent pays for what it has not asked for.
    result = read(await browser.read_page(call, page, {**for_plugin(params), "boxes": True}), Result)
    if not params.boxes:
        unplaced = [msgspec.structs.replace(element, bbox=UNSET) for element in result.elements]
        result = msgspec.structs.replace(result, elements=unplaced)
    shown, total = len(result.elements), result.total if result.total is not UNSET else len(result.elements)
    more = f"; go on with offset {result.next_offset}" if result.next_offset is not UNSET else ""
    head = f"{result.title or ''} {result.url or ''}".strip()
    lines = [*([head] if head else []), *map(element_line, result.elements)]
    return Reply(result, text=said(f"{shown} of {total} elements, in view first{more}.", result, "\n".join(lines)))


TOOL = browser_tool(browser_dom_index, Params, Result, "Index a page")
