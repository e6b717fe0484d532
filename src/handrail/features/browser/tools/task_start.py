"""task_start of contract 2."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import TASK_START, TaskStartParams
from handrail.features.browser.navigation import address_of, open_tab, to_address
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def task_start(browser: Browser, call: Call, params: TaskStartParams, preview: Preview | None) -> Reply:
    """Begin work in the person's browser: opens a tab of your own, at `url` or blank, in a group that the person
    can recognise. The other browser_ tools act in this tab unless they name another. task_stop ends the work.
    """
    result = await open_tab(browser, call, TASK_START, params)
    title = "" if result.title is UNSET else f" {quoted(result.title)}"
    return Reply(result, text=said(f"Tab {result.tab_id} is open.", result, f"now at {result.url}{title}"))


async def preview(browser: Browser, call: Call, params: TaskStartParams) -> Preview:
    address = address_of(params.url)
    how = "Take over the open tab at" if params.reuse_existing_tab else "Begin in a new tab at"
    return Preview(f"{how} {address.url}", host=address.host or "")


TOOL = browser_tool(TASK_START, task_start, preview=preview, locate=to_address)
