"""The tools that go back, go forward and reload."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import input_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.tab_actions import GO_BACK, GO_FORWARD, RELOAD
from handrail.features.browser.navigation import navigate
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_go_back(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go back one page, and wait until it can be read."""
    return await navigate(browser, call, GO_BACK, params, preview)


async def browser_go_forward(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Go forward again, and wait until the page can be read."""
    return await navigate(browser, call, GO_FORWARD, params, preview)


async def browser_reload(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Load the page again, and wait until it can be read."""
    return await navigate(browser, call, RELOAD, params, preview)


TOOLS = (
    input_tool(GO_BACK, browser_go_back, lambda params, element: "Go back"),
    input_tool(GO_FORWARD, browser_go_forward, lambda params, element: "Go forward"),
    input_tool(RELOAD, browser_reload, lambda params, element: "Reload the page"),
)
