"""browser_go_forward of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.tab_actions import GO_FORWARD
from handrail.features.browser.navigation import go
from handrail.features.browser.page_input import previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_go_forward(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go forward again after going back, and wait until the page can be read."""
    return await go(browser, call, GO_FORWARD, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Go forward"


TOOL = browser_tool(GO_FORWARD, browser_go_forward, preview=previewing(_summary))
