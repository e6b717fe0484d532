"""browser_tab_close of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser, Page
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import OneTabParams
from handrail.features.browser.bus.tab_actions import TAB_CLOSE
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_tab_close(browser: Browser, call: Call, params: OneTabParams, preview: Preview | None) -> Reply:
    """Close a tab of the task. The task goes on in the others."""
    assert preview is not None
    page: Page = preview.state
    result = await browser.run(call, TAB_CLOSE, params, page.task)
    browser.forget(page.task, page.tab_id)
    return Reply(result, text=said(f"Tab {page.tab_id} is closed.", result))


async def preview(browser: Browser, call: Call, params: OneTabParams) -> Preview:
    page = await browser.page(call, params.tab_id)
    return Preview(f"Close the tab at {page.address}", host=page.target.host or "", state=page)


TOOL = browser_tool(TAB_CLOSE, browser_tab_close, preview=preview)
