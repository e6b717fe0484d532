"""browser_hover of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import ElementParams
from handrail.features.browser.bus.input_actions import HOVER
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_hover(browser: Browser, call: Call, params: ElementParams, preview: Preview | None) -> Reply:
    """Move the mouse over an element, so that what it shows only then appears. The answer tells what changed."""
    return await act_and_reply(browser, call, HOVER, params, preview, "Hovered.")


def _summary(params: ElementParams, element: str) -> str:
    return f"Move the mouse over {element}"


TOOL = browser_tool(HOVER, browser_hover, preview=previewing(_summary))
