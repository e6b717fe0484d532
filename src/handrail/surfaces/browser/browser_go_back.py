"""browser_go_back of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.browser_action import TabParams
from handrail.core.mimo.tab_actions import GO_BACK
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.navigation import go
from handrail.surfaces.browser.page_input import previewing


async def browser_go_back(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go back to the page before this one, and wait until it can be read."""
    return await go(browser, call, GO_BACK, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Go back"


TOOL = browser_tool(GO_BACK, browser_go_back, preview=previewing(_summary))
