"""The tools that start, name and end a task in the browser."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import (
    TASK_GROUP_UPDATE,
    TASK_START,
    TASK_STOP,
    TaskGroupUpdateParams,
    TaskStartParams,
    TaskStopParams,
)
from handrail.features.browser.navigation import address_of, destination, open_tab
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import CallSubject, Preview, Reply


async def task_start(browser: Browser, call: Call, params: TaskStartParams, preview: Preview | None) -> Reply:
    """Open a tab of your own in the person's browser. Other tools use this tab unless `tabId` names another."""
    result = await open_tab(browser, call, TASK_START, params)
    title = "" if result.title is UNSET else f" {quote_text(result.title)}"
    return Reply(result, text=reply_text(f"Tab {result.tab_id} is open.", result, f"now at {result.url}{title}"))


async def _preview_task_start(browser: Browser, call: Call, params: TaskStartParams) -> Preview:
    address = address_of(params.url)
    how = "Take over the open tab at" if params.reuse_existing_tab else "Begin in a new tab at"
    return Preview(f"{how} {address.url}", about=CallSubject(address.url), place=address.place or "")


async def task_group_update(
    browser: Browser, call: Call, params: TaskGroupUpdateParams, preview: Preview | None
) -> Reply:
    """Give the task's group of tabs a name or a colour."""
    result = await browser.run(call, TASK_GROUP_UPDATE, params)
    return Reply(result, text=reply_text("Updated.", result))


async def _preview_task_group_update(browser: Browser, call: Call, params: TaskGroupUpdateParams) -> Preview:
    title = "" if params.title is UNSET else f" {quote_text(params.title)}"
    colour = "" if params.color is UNSET else f" {params.color}"
    return Preview(f"Name the group of tabs{title}{colour}", place="")


async def task_stop(browser: Browser, call: Call, params: TaskStopParams, preview: Preview | None) -> Reply:
    """End the work; tabs stay open unless `closeTab`."""
    task = (await browser.task(call)).task_id
    result = await browser.run(call, TASK_STOP, params, task)
    browser.forget(task)
    return Reply(result, text=reply_text("The task is over.", result))


TOOLS = (
    browser_tool(TASK_START, task_start, preview=_preview_task_start, locate=destination),
    browser_tool(TASK_GROUP_UPDATE, task_group_update, preview=_preview_task_group_update),
    browser_tool(TASK_STOP, task_stop, ends_task=True),
)
