"""browser_tab_switch of contract 2's catalogue, extended."""

from handrail.features.browser.browser import Browser, Page
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import OneTabParams
from handrail.features.browser.bus.tab_actions import TAB_SWITCH
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_tab_switch(browser: Browser, call: Call, params: OneTabParams, preview: Preview | None) -> Reply:
    """Bring a tab of the task to the front. From then on the task is at this tab."""
    assert preview is not None
    page: Page = preview.state
    result = await browser.run(call, TAB_SWITCH, params, page.task)
    browser.stay_at(page.task, result.tab_id)
    return Reply(result, text=said(f"The task is at tab {result.tab_id}.", result))


async def preview(browser: Browser, call: Call, params: OneTabParams) -> Preview:
    page = await browser.page(call, params.tab_id)
    return Preview(f"Bring the tab at {page.address} to the front", host=page.target.host or "", state=page)


TOOL = browser_tool(TAB_SWITCH, browser_tab_switch, preview=preview)
