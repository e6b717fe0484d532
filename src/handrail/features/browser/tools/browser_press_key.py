"""browser_press_key of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.input_actions import PRESS_KEY, PressKeyParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def browser_press_key(browser: Browser, call: Call, params: PressKeyParams, preview: Preview | None) -> Reply:
    """Press a key, such as `Enter`, `Escape`, `ArrowDown` or `Control+a`, on an element or on whatever has the
    focus. The answer tells what changed.
    """
    return await act_and_reply(browser, call, PRESS_KEY, params, preview, f"Pressed {params.key}.")


def _summary(params: PressKeyParams, element: str) -> str:
    return f"Press {quoted(params.key)}" + (f" on {element}" if element else "")


TOOL = browser_tool(PRESS_KEY, browser_press_key, preview=previewing(_summary))
