"""browser_find_text of contract 2's catalogue, extended."""

from typing import Annotated

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
    text: Annotated[str, Meta(min_length=1, max_length=1000)]


class Match(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    text: str
    click_id: str | UnsetType = UNSET
    tag: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    matches: list[Match]
    total: int


async def browser_find_text(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Find where a text stands in the page, and which element can be clicked there."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.read_page(call, page, for_plugin(params)), Result)
    lines = [
        " ".join(filter(None, (match.click_id or "-", match.tag or "", quoted(match.text)))) for match in result.matches
    ]
    return Reply(result, text=said(f"{result.total} matches.", result, "\n".join(lines)))


TOOL = browser_tool(browser_find_text, Params, Result, "Find a text")
