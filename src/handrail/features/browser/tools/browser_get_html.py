"""browser_get_html of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import GET_HTML, HtmlParams
from handrail.features.browser.reply_text import reply_text, text_part
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_get_html(browser: Browser, call: Call, params: HtmlParams, preview: Preview | None) -> Reply:
    """Read HTML, of the page or one element. browser_page is shorter."""
    result = await browser.read(call, GET_HTML, params)
    whole = (await browser.bus.artifact(result.artifact_id)).data.decode("utf-8", "replace")
    part, _, words = text_part(whole, params.offset, params.limit)
    return Reply(result, text=reply_text(words, result, part))


TOOL = browser_tool(GET_HTML, browser_get_html)
