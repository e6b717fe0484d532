"""browser_scroll of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.input_actions import SCROLL, ScrollParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_scroll(browser: Browser, call: Call, params: ScrollParams, preview: Preview | None) -> Reply:
    """Scroll the page, or the list that an element stands in; with an element and no `direction`, that element
    into view. `atEnd` tells that there is nothing more in that direction.
    """
    return await act_and_reply(browser, call, SCROLL, params, preview, "Scrolled.")


def _summary(params: ScrollParams, element: str) -> str:
    return f"Scroll {element or params.direction or 'down'}"


TOOL = browser_tool(SCROLL, browser_scroll, preview=previewing(_summary))
