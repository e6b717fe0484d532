"""browser_type of contract 2."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.input_actions import TYPE, TypeParams
from handrail.core.quoting import quoted
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.page_input import act_and_reply, previewing


async def browser_type(browser: Browser, call: Call, params: TypeParams, preview: Preview | None) -> Reply:
    """Type into a field, in place of what it holds; with `append` after it, with `submit` followed by Enter. The
    answer tells what changed.
    """
    return await act_and_reply(browser, call, TYPE, params, preview, "Typed.")


def _summary(params: TypeParams, element: str) -> str:
    return f"Type {quoted(params.text)} into {element}{', then Enter' if params.submit else ''}"


TOOL = browser_tool(TYPE, browser_type, preview=previewing(_summary))
