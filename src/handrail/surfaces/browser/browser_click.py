"""browser_click of contract 2."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.input_actions import CLICK, ClickParams
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.page_input import act_and_reply, previewing


async def browser_click(browser: Browser, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element, by its `clickId` from browser_dom_index (or by `xpath`). It is scrolled into view, and
    refused when something covers it. The answer tells in a few lines what changed. INVALID_TARGET: the element
    is gone or covered; index the page again.
    """
    return await act_and_reply(browser, call, CLICK, params, preview, "Clicked.")


def _summary(params: ClickParams, element: str) -> str:
    return f"Click {element}"


TOOL = browser_tool(CLICK, browser_click, preview=previewing(_summary))
