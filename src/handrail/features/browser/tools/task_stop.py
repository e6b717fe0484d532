"""task_stop of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import TASK_STOP, TaskStopParams
from handrail.features.browser.reply_text import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def task_stop(browser: Browser, call: Call, params: TaskStopParams, preview: Preview | None) -> Reply:
    """End the work in the browser. The tabs stay open for the person, unless `closeTab`."""
    task = (await browser.task(call)).task_id
    result = await browser.run(call, TASK_STOP, params, task)
    browser.forget(task)
    return Reply(result, text=said("The task is over.", result))


TOOL = browser_tool(TASK_STOP, task_stop)
