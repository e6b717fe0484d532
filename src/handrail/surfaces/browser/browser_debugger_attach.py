"""browser_debugger_attach of contract 2."""

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
    attached: Literal[True]


async def browser_debugger_attach(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Attach the browser's debugger to the tab, which other tools do by themselves when they need it."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.carry_out(call, page, for_plugin(params)), Result)
    return Reply(result, text=said("Attached.", result))


TOOL = browser_tool(browser_debugger_attach, Params, Result, "Attach the debugger")
