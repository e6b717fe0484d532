"""browser_requests of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import REQUESTS, LogParams
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_requests(browser: Browser, call: Call, params: LogParams, preview: Preview | None) -> Reply:
    """Read which requests of the page have failed (status 400 and above, or an error), the newest last."""
    result = await browser.read(call, REQUESTS, params)
    lines = [f"{each.status or each.error or '?'} {each.method} {each.url}" for each in result.requests]
    return Reply(result, text=said(f"{len(result.requests)} of {result.total} failed.", result, "\n".join(lines)))


TOOL = browser_tool(REQUESTS, browser_requests)
