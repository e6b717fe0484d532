"""browser_wait_for_loaded of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.page_actions import WAIT_FOR_LOADED
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_wait_for_loaded(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Wait until the page has loaded whole, usually at most 20 s."""
    result = await browser.run_on_page(call, WAIT_FOR_LOADED, params)
    return Reply(result, text=said("Loaded.", result))


TOOL = browser_tool(WAIT_FOR_LOADED, browser_wait_for_loaded)
