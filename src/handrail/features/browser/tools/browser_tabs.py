"""browser_tabs of contract 2's catalogue, extended."""

import msgspec
from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import ActionParams
from handrail.features.browser.bus.tab_actions import TABS
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Reply
from handrail.kernel.web_address import host_of_page
from handrail.ports.browser import Tab
from handrail.ports.errors import Declined


async def browser_tabs(browser: Browser, call: Call, params: ActionParams, preview: Preview | None) -> Reply:
    """List the task's tabs. The person's other tabs are not yours to see."""
    told = await browser.run(call, TABS, params)
    result = msgspec.structs.replace(told, tabs=[await _shown(call, tab) for tab in told.tabs])
    lines = [f"{tab.tab_id} {quoted(tab.title or '')} {tab.url or ''}{' in front' * tab.active}" for tab in result.tabs]
    return Reply(result, text=said(f"{len(lines)} tabs.", result, "\n".join(lines)))


async def _shown(call: Call, tab: Tab) -> Tab:
    """Of a page that may not be read, not even the title is told."""
    host = host_of_page(tab.url if tab.url is not UNSET else "about:blank")
    try:
        if host is not None:
            await call.check(Target(host=host))
    except Declined:
        return msgspec.structs.replace(tab, title=UNSET, url=UNSET, fav_icon_url=UNSET)
    return tab


TOOL = browser_tool(TABS, browser_tabs)
