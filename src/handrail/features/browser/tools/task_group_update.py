"""task_group_update of contract 2."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import TASK_GROUP_UPDATE, TaskGroupUpdateParams
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def task_group_update(
    browser: Browser, call: Call, params: TaskGroupUpdateParams, preview: Preview | None
) -> Reply:
    """Give the group of the task's tabs another title or colour, so that the person sees what you are at."""
    result = await browser.run(call, TASK_GROUP_UPDATE, params)
    return Reply(result, text=said("Updated.", result))


async def preview(browser: Browser, call: Call, params: TaskGroupUpdateParams) -> Preview:
    title = "" if params.title is UNSET else f" {quoted(params.title)}"
    colour = "" if params.color is UNSET else f" {params.color}"
    return Preview(f"Name the group of tabs{title}{colour}", host="")


TOOL = browser_tool(TASK_GROUP_UPDATE, task_group_update, preview=preview)
