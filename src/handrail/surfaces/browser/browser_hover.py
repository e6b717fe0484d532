"""browser_hover of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.browser_action import ElementParams
from handrail.core.mimo.input_actions import HOVER
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.page_input import act_and_reply, previewing


async def browser_hover(browser: Browser, call: Call, params: ElementParams, preview: Preview | None) -> Reply:
    """Move the mouse over an element, so that what it shows only then appears. The answer tells what changed."""
    return await act_and_reply(browser, call, HOVER, params, preview, "Hovered.")


def _summary(params: ElementParams, element: str) -> str:
    return f"Move the mouse over {element}"


TOOL = browser_tool(HOVER, browser_hover, preview=previewing(_summary))
