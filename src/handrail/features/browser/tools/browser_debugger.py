"""The tools that attach the browser's debugger to a tab and detach it."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.page_actions import DEBUGGER_ATTACH, DEBUGGER_DETACH
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_debugger_attach(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Attach the debugger; tools do so by themselves."""
    result = await browser.run_on_page(call, DEBUGGER_ATTACH, params)
    return Reply(result, text=reply_text("Attached.", result))


async def browser_debugger_detach(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Detach the debugger from the tab, and remove its bar."""
    result = await browser.run_on_page(call, DEBUGGER_DETACH, params)
    return Reply(result, text=reply_text("Detached.", result))


TOOLS = (
    browser_tool(DEBUGGER_ATTACH, browser_debugger_attach),
    browser_tool(DEBUGGER_DETACH, browser_debugger_detach),
)
