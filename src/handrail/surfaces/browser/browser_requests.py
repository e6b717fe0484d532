"""browser_requests of contract 2's catalogue, extended."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said


class Params(TabParams, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class FailedRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    url: str
    method: str
    timestamp: float
    status: int | UnsetType = UNSET
    error: str | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    requests: list[FailedRequest]
    total: int


async def browser_requests(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read which requests of the page have failed (status 400 and above, or an error), the newest last."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.read_page(call, page, for_plugin(params)), Result)
    lines = [f"{each.status or each.error or '?'} {each.method} {each.url}" for each in result.requests]
    return Reply(result, text=said(f"{len(result.requests)} of {result.total} failed.", result, "\n".join(lines)))


TOOL = browser_tool(browser_requests, Params, Result, "Read failed requests")
