"""browser_go_back of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.tab_actions import GO_BACK
from handrail.features.browser.navigation import go
from handrail.features.browser.page_input import previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_go_back(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go back to the page before this one, and wait until it can be read."""
    return await go(browser, call, GO_BACK, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Go back"


TOOL = browser_tool(GO_BACK, browser_go_back, preview=previewing(_summary))
