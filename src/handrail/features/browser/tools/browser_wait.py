"""The tools that wait for a page."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.page_actions import WAIT_FOR, WAIT_FOR_LOADED, WaitForParams
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_wait_for(browser: Browser, call: Call, params: WaitForParams, preview: Preview | None) -> Reply:
    """Wait until a text appears or is gone, or nothing has changed for `idleMs`."""
    result = await browser.run_on_page(call, WAIT_FOR, params)
    return Reply(result, text=reply_text(f"Met: {result.met}.", result))


async def browser_wait_for_loaded(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Wait until the page and all its resources have loaded."""
    result = await browser.run_on_page(call, WAIT_FOR_LOADED, params)
    return Reply(result, text=reply_text("Loaded.", result))


TOOLS = (
    browser_tool(WAIT_FOR, browser_wait_for),
    browser_tool(WAIT_FOR_LOADED, browser_wait_for_loaded),
)
