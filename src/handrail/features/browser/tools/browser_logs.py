"""The tools that read a page's console and its failed requests."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import CONSOLE, REQUESTS, LogParams
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply


async def browser_console(browser: Browser, call: Call, params: LogParams, preview: Preview | None) -> Reply:
    """Read what the page wrote to its console, newest last."""
    result = await browser.read(call, CONSOLE, params)
    lines = [
        f"{message.level} {quote_text(message.text, 500)}"
        + (f" {message.url}:{message.line or 0}" if message.url else "")
        for message in result.messages
    ]
    return Reply(
        result, text=reply_text(f"{len(result.messages)} of {result.total} messages.", result, "\n".join(lines))
    )


async def browser_requests(browser: Browser, call: Call, params: LogParams, preview: Preview | None) -> Reply:
    """List requests of the page that failed, newest last."""
    result = await browser.read(call, REQUESTS, params)
    lines = [f"{each.status or each.error or '?'} {each.method} {each.url}" for each in result.requests]
    return Reply(result, text=reply_text(f"{len(result.requests)} of {result.total} failed.", result, "\n".join(lines)))


TOOLS = (
    browser_tool(CONSOLE, browser_console),
    browser_tool(REQUESTS, browser_requests),
)
