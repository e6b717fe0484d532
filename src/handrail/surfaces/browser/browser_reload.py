"""browser_reload of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.browser_action import TabParams
from handrail.core.mimo.tab_actions import RELOAD
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.navigation import go
from handrail.surfaces.browser.page_input import previewing


async def browser_reload(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Load the page again, and wait until it can be read."""
    return await go(browser, call, RELOAD, params, preview)


def _summary(params: TabParams, element: str) -> str:
    return "Reload the page"


TOOL = browser_tool(RELOAD, browser_reload, preview=previewing(_summary))
