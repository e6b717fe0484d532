"""browser_xpath_scan of contract 2."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import XPATH_SCAN, XPathScanParams
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply


async def browser_xpath_scan(browser: Browser, call: Call, params: XPathScanParams, preview: Preview | None) -> Reply:
    """List what can be acted on, each element with its XPath."""
    result = await browser.read(call, XPATH_SCAN, params)
    total = result.total if result.total is not UNSET else len(result.elements)
    lines = [f"{found.xpath} {found.tag} {quote_text(found.text or '')}" for found in result.elements]
    return Reply(result, text=reply_text(f"{len(result.elements)} of {total} elements.", result, "\n".join(lines)))


TOOL = browser_tool(XPATH_SCAN, browser_xpath_scan)
