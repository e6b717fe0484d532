"""browser_find_text of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.page_actions import FIND_TEXT, FindTextParams
from handrail.core.quoting import quoted
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.reply_text import said


async def browser_find_text(browser: Browser, call: Call, params: FindTextParams, preview: Preview | None) -> Reply:
    """Find where a text stands in the page, and which element can be clicked there."""
    result = await browser.read(call, FIND_TEXT, params)
    lines = [
        " ".join(filter(None, (match.click_id or "-", match.tag or "", quoted(match.text)))) for match in result.matches
    ]
    return Reply(result, text=said(f"{result.total} matches.", result, "\n".join(lines)))


TOOL = browser_tool(FIND_TEXT, browser_find_text)
