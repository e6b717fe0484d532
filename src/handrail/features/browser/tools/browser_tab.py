"""The tools for a task's tabs: list, open, switch, close."""

import msgspec
from msgspec import UNSET

from handrail.features.browser.browser import Browser, Page
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import ActionParams, OneTabParams
from handrail.features.browser.bus.tab_actions import TAB_CLOSE, TAB_OPEN, TAB_SWITCH, TABS, TabOpenParams
from handrail.features.browser.navigation import address_of, destination, open_tab
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Preview, Reply
from handrail.kernel.web_address import place_of_page
from handrail.ports.browser import Tab
from handrail.ports.errors import Declined


async def browser_tabs(browser: Browser, call: Call, params: ActionParams, preview: Preview | None) -> Reply:
    """List the tabs of the task, with titles and addresses."""
    listed = await browser.run(call, TABS, params)
    result = msgspec.structs.replace(listed, tabs=[await _redacted(call, tab) for tab in listed.tabs])
    lines = [
        f"{tab.tab_id} {quote_text(tab.title or '')} {tab.url or ''}{' in front' * tab.active}" for tab in result.tabs
    ]
    return Reply(result, text=reply_text(f"{len(lines)} tabs.", result, "\n".join(lines)))


async def _redacted(call: Call, tab: Tab) -> Tab:
    """The tab without title and address if the agent may not read its page."""
    place = place_of_page(tab.url if tab.url is not UNSET else "about:blank")
    try:
        if place is not None:
            await call.check(Target(place=place))
    except Declined:
        return msgspec.structs.replace(tab, title=UNSET, url=UNSET, fav_icon_url=UNSET)
    return tab


async def browser_tab_open(browser: Browser, call: Call, params: TabOpenParams, preview: Preview | None) -> Reply:
    """Open one more tab; the task continues there."""
    result = await open_tab(browser, call, TAB_OPEN, params)
    return Reply(result, text=reply_text(f"Tab {result.tab_id} is open.", result, f"now at {result.url}"))


async def _preview_tab_open(browser: Browser, call: Call, params: TabOpenParams) -> Preview:
    address = address_of(params.url)
    return Preview(f"Open a tab at {address.url}", about=CallSubject(address.url), place=address.place or "")


async def browser_tab_switch(browser: Browser, call: Call, params: OneTabParams, preview: Preview | None) -> Reply:
    """Bring another tab of the task to the front and continue there."""
    assert preview is not None
    page: Page = preview.state
    result = await browser.run(call, TAB_SWITCH, params, page.task)
    browser.set_current_tab(page.task, result.tab_id)
    return Reply(result, text=reply_text(f"The task is at tab {result.tab_id}.", result))


async def _preview_tab_switch(browser: Browser, call: Call, params: OneTabParams) -> Preview:
    page = await browser.page(call, params.tab_id)
    return Preview(
        f"Bring the tab at {page.address} to the front",
        about=CallSubject(page.address),
        place=page.target.place or "",
        state=page,
    )


async def browser_tab_close(browser: Browser, call: Call, params: OneTabParams, preview: Preview | None) -> Reply:
    """Close a tab of the task; it continues in the others."""
    assert preview is not None
    page: Page = preview.state
    result = await browser.run(call, TAB_CLOSE, params, page.task)
    browser.forget(page.task, page.tab_id)
    return Reply(result, text=reply_text(f"Tab {page.tab_id} is closed.", result))


async def _preview_tab_close(browser: Browser, call: Call, params: OneTabParams) -> Preview:
    page = await browser.page(call, params.tab_id)
    return Preview(
        f"Close the tab at {page.address}", about=CallSubject(page.address), place=page.target.place or "", state=page
    )


TOOLS = (
    browser_tool(TABS, browser_tabs),
    browser_tool(TAB_OPEN, browser_tab_open, preview=_preview_tab_open, locate=destination),
    browser_tool(TAB_SWITCH, browser_tab_switch, preview=_preview_tab_switch),
    browser_tool(TAB_CLOSE, browser_tab_close, preview=_preview_tab_close),
)
