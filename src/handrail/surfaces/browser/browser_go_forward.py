"""browser_go_forward of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.browser_action import TabParams
from handrail.core.mimo.tab_actions import GO_FORWARD
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.navigation import go
from handrail.surfaces.browser.page_input import previewing


async def browser_go_forward(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go forward again after going back, and wait until the page can be read."""
    return await go(browser, call, GO_FORWARD, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Go forward"


TOOL = browser_tool(GO_FORWARD, browser_go_forward, preview=previewing(_summary))
