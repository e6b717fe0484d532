"""browser_wait_for of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import WAIT_FOR, WaitForParams
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_wait_for(browser: Browser, call: Call, params: WaitForParams, preview: Preview | None) -> Reply:
    """Wait until a text appears (`text`), until it is gone (`textGone`), or until nothing has changed for
    `idleMs`. Waits at most `timeoutMs`, usually 30 s.
    """
    result = await browser.run_on_page(call, WAIT_FOR, params)
    return Reply(result, text=said(f"Met: {result.met}.", result))


TOOL = browser_tool(WAIT_FOR, browser_wait_for)
