"""browser_debugger_detach of contract 2."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.browser_action import TabParams
from handrail.core.mimo.page_actions import DEBUGGER_DETACH
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.reply_text import said


async def browser_debugger_detach(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Detach the browser's debugger from the tab."""
    result = await browser.run_on_page(call, DEBUGGER_DETACH, params)
    return Reply(result, text=said("Detached.", result))


TOOL = browser_tool(DEBUGGER_DETACH, browser_debugger_detach)
