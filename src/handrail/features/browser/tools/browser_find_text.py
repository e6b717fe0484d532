"""browser_find_text of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import FIND_TEXT, FindTextParams
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply


async def browser_find_text(browser: Browser, call: Call, params: FindTextParams, preview: Preview | None) -> Reply:
    """Find text on the page, with its element's `clickId`."""
    result = await browser.read(call, FIND_TEXT, params)
    lines = [
        " ".join(filter(None, (match.click_id or "-", match.tag or "", quote_text(match.text))))
        for match in result.matches
    ]
    return Reply(result, text=reply_text(f"{result.total} matches.", result, "\n".join(lines)))


TOOL = browser_tool(FIND_TEXT, browser_find_text)
