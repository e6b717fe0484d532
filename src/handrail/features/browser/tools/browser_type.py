"""browser_type of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.input_actions import TYPE, TypeParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def browser_type(browser: Browser, call: Call, params: TypeParams, preview: Preview | None) -> Reply:
    """Type into a field, in place of what it holds; with `append` after it, with `submit` followed by Enter. The
    answer tells what changed.
    """
    return await act_and_reply(browser, call, TYPE, params, preview, "Typed.")


def _summary(params: TypeParams, element: str) -> str:
    return f"Type {quoted(params.text)} into {element}{', then Enter' if params.submit else ''}"


TOOL = browser_tool(TYPE, browser_type, preview=previewing(_summary))
