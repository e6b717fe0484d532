"""browser_tab_open of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import TAB_OPEN, TabOpenParams
from handrail.features.browser.navigation import address_of, open_tab, to_address
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_tab_open(browser: Browser, call: Call, params: TabOpenParams, preview: Preview | None) -> Reply:
    """Open one more tab in the task, at `url` or blank. From then on the task is at this tab."""
    result = await open_tab(browser, call, TAB_OPEN, params)
    return Reply(result, text=said(f"Tab {result.tab_id} is open.", result, f"now at {result.url}"))


async def preview(browser: Browser, call: Call, params: TabOpenParams) -> Preview:
    address = address_of(params.url)
    return Preview(f"Open a tab at {address.url}", host=address.host or "")


TOOL = browser_tool(TAB_OPEN, browser_tab_open, preview=preview, locate=to_address)
