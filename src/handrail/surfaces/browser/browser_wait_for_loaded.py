"""browser_wait_for_loaded of contract 2."""

from typing import Literal

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said


class Params(TabParams, frozen=True, kw_only=True):
    pass


class Result(Told, frozen=True, kw_only=True):
    status: Literal["complete"]


async def browser_wait_for_loaded(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Wait until the page has loaded whole, usually at most 20 s."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.carry_out(call, page, for_plugin(params)), Result)
    return Reply(result, text=said("Loaded.", result))


TOOL = browser_tool(browser_wait_for_loaded, Params, Result, "Wait until loaded")
