"""browser_select_option of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.input_actions import SELECT_OPTION, SelectOptionParams
from handrail.features.browser.page_input import act_and_reply, previewing
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def browser_select_option(
    browser: Browser, call: Call, params: SelectOptionParams, preview: Preview | None
) -> Reply:
    """Choose the options of a list by their values or labels; in a list that takes only one, that one. The
    answer tells what changed.
    """
    return await act_and_reply(browser, call, SELECT_OPTION, params, preview, "Selected.")


def _summary(params: SelectOptionParams, element: str) -> str:
    return f"Choose {', '.join(map(quoted, params.values))} in {element}"


TOOL = browser_tool(SELECT_OPTION, browser_select_option, preview=previewing(_summary))
