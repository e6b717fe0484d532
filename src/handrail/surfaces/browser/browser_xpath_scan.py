"""browser_xpath_scan of contract 2."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Box, Told, read
from handrail.surfaces.browser.wording import quoted, said


class Params(TabParams, frozen=True, kw_only=True):
    scope: Literal["viewport", "document"] = "document"
    limit: Annotated[int, Meta(ge=1, le=5000)] = 100


class Found(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    xpath: str
    tag: str
    text: str | UnsetType = UNSET
    click_id: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    elements: list[Found]
    total: int | UnsetType = UNSET


async def browser_xpath_scan(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List what can be acted on in the page with the XPath of each element. browser_dom_index is shorter."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.read_page(call, page, for_plugin(params)), Result)
    total = result.total if result.total is not UNSET else len(result.elements)
    lines = [f"{found.xpath} {found.tag} {quoted(found.text or '')}" for found in result.elements]
    return Reply(result, text=said(f"{len(result.elements)} of {total} elements.", result, "\n".join(lines)))


TOOL = browser_tool(browser_xpath_scan, Params, Result, "Scan XPaths")
