"""browser_tab_open of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.tab_actions import TAB_OPEN, TabOpenParams
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.navigation import address_of, open_tab, to_address
from handrail.surfaces.browser.reply_text import said


async def browser_tab_open(browser: Browser, call: Call, params: TabOpenParams, preview: Preview | None) -> Reply:
    """Open one more tab in the task, at `url` or blank. From then on the task is at this tab."""
    result = await open_tab(browser, call, TAB_OPEN, params)
    return Reply(result, text=said(f"Tab {result.tab_id} is open.", result, f"now at {result.url}"))


async def preview(browser: Browser, call: Call, params: TabOpenParams) -> Preview:
    address = address_of(params.url)
    return Preview(f"Open a tab at {address.url}", host=address.host or "")


TOOL = browser_tool(TAB_OPEN, browser_tab_open, preview=preview, locate=to_address)
