"""browser_pdf, beyond contract 2's catalogue: the page as Chrome prints it."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TabParams
from handrail.features.browser.bus.page_actions import PDF
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_pdf(browser: Browser, call: Call, params: TabParams, preview: Preview | None) -> Reply:
    """Print the page to a PDF; `artifactId` names it."""
    result = await browser.read(call, PDF, params)
    return Reply(result, text=reply_text(f"PDF {result.artifact_id}.", result))


TOOL = browser_tool(PDF, browser_pdf)
