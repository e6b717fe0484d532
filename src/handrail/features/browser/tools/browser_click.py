"""browser_click of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.input_actions import CLICK, ClickParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_click(browser: Browser, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element, by its `clickId` from browser_dom_index (or by `xpath`). It is scrolled into view, and
    refused when something covers it. The answer tells in a few lines what changed. INVALID_TARGET: the element
    is gone or covered; index the page again.
    """
    return await act_and_reply(browser, call, CLICK, params, preview, "Clicked.")


def _summary(params: ClickParams, element: str) -> str:
    return f"Click {element}"


TOOL = browser_tool(CLICK, browser_click, preview=previewing(_summary))
