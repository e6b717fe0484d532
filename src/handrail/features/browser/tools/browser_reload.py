"""browser_reload of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.tab_actions import RELOAD
from handrail.features.browser.navigation import go
from handrail.features.browser.page_input import previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_reload(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Load the page again, and wait until it can be read."""
    return await go(browser, call, RELOAD, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Reload the page"


TOOL = browser_tool(RELOAD, browser_reload, preview=previewing(_summary))
