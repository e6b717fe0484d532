"""task_start of contract 2."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.journey import to_address, wanted
from handrail.surfaces.browser.params import BrowserParams, Colour, Url, for_plugin
from handrail.surfaces.browser.results import Travelled, read
from handrail.surfaces.browser.wording import quoted, said


class Params(BrowserParams, frozen=True, kw_only=True):
    url: Url | UnsetType = UNSET
    reuse_existing_tab: Annotated[bool, Meta(description="Take over an open tab that shows this page.")] = False
    group_title: Annotated[str, Meta(min_length=1, max_length=80)] | UnsetType = UNSET
    group_color: Colour | UnsetType = UNSET


class Result(Travelled, frozen=True, kw_only=True):
    tab_id: int
    window_id: int
    url: str
    group_id: int | UnsetType = UNSET
    title: str | UnsetType = UNSET


async def task_start(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Begin work in the person's browser: opens a tab of your own, at `url` or blank, in a group that the person
    can recognise. The other browser_ tools act in this tab unless they name another. task_stop ends the work.
    """
    task = (await browser.task(call)).task_id
    given = for_plugin(params, "url") | ({} if params.url is UNSET else {"url": wanted(params.url).url})
    told = await browser.send(call, task, call.tool, given)
    result = read(told, Result)
    await browser.arrived(call, task, result.tab_id, {"pageUrl": result.url, **told})
    browser.stay_at(task, result.tab_id)
    title = "" if result.title is UNSET else f" {quoted(result.title)}"
    return Reply(result, text=said(f"Tab {result.tab_id} is open.", result, f"now at {result.url}{title}"))


async def preview(browser: Browser, call: Call, params: Params) -> Preview:
    address = wanted(params.url)
    how = "Take over the open tab at" if params.reuse_existing_tab else "Begin in a new tab at"
    return Preview(f"{how} {address.url}", host=address.host or "")


TOOL = browser_tool(
    task_start, Params, Result, "Begin a task", effect=Effect.UI_CONTROL, preview=preview, locate=to_address
)
