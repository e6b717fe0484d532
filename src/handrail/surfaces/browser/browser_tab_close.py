"""browser_tab_close of contract 2's catalogue, extended."""

from typing import Literal

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.page import Page
from handrail.surfaces.browser.params import OneTabParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said


class Params(OneTabParams, frozen=True, kw_only=True):
    pass


class Result(Told, frozen=True, kw_only=True):
    closed: Literal[True]


async def browser_tab_close(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Close a tab of the task. The task goes on in the others."""
    assert preview is not None
    page: Page = preview.state
    result = read(await browser.send(call, page.task, call.tool, for_plugin(params)), Result)
    browser.forget(page.task, page.tab_id)
    return Reply(result, text=said(f"Tab {page.tab_id} is closed.", result))


async def preview(browser: Browser, call: Call, params: Params) -> Preview:
    page = await browser.page(call, params.tab_id)
    return Preview(f"Close the tab at {page.address}", host=page.target.host or "", state=page)


TOOL = browser_tool(browser_tab_close, Params, Result, "Close a tab", effect=Effect.UI_CONTROL, preview=preview)
