"""task_stop of contract 2."""

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.core.mimo.tab_actions import TASK_STOP, TaskStopParams
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.browser_tool import browser_tool
from handrail.surfaces.browser.reply_text import said


async def task_stop(browser: Browser, call: Call, params: TaskStopParams, preview: Preview | None) -> Reply:
    """End the work in the browser. The tabs stay open for the person, unless `closeTab`."""
    task = (await browser.task(call)).task_id
    result = await browser.run(call, TASK_STOP, params, task)
    browser.forget(task)
    return Reply(result, text=said("The task is over.", result))


TOOL = browser_tool(TASK_STOP, task_stop)
