"""task_stop of contract 2."""

from typing import Literal

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import BrowserParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said


class Params(BrowserParams, frozen=True, kw_only=True):
    close_tab: bool = False


class Result(Told, frozen=True, kw_only=True):
    stopped: Literal[True]


async def task_stop(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """End the work in the browser. The tabs stay open for the person, unless `closeTab`."""
    task = (await browser.task(call)).task_id
    result = read(await browser.send(call, task, call.tool, for_plugin(params)), Result)
    browser.forget(task)
    return Reply(result, text=said("The task is over.", result))


TOOL = browser_tool(task_stop, Params, Result, "End a task", effect=Effect.PROCESS_CONTROL)
