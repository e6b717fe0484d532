"""browser_tab_open of contract 2's catalogue, extended."""

from msgspec import UNSET, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.journey import to_address, wanted
from handrail.surfaces.browser.params import BrowserParams, Url, for_plugin
from handrail.surfaces.browser.results import Travelled, read
from handrail.surfaces.browser.wording import said


class Params(BrowserParams, frozen=True, kw_only=True):
    url: Url | UnsetType = UNSET


class Result(Travelled, frozen=True, kw_only=True):
    tab_id: int
    window_id: int
    url: str


async def browser_tab_open(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Open one more tab in the task, at `url` or blank. From then on the task is at this tab."""
    task = (await browser.task(call)).task_id
    given = for_plugin(params, "url") | ({} if params.url is UNSET else {"url": wanted(params.url).url})
    told = await browser.send(call, task, call.tool, given)
    result = read(told, Result)
    await browser.arrived(call, task, result.tab_id, {"pageUrl": result.url, **told})
    browser.stay_at(task, result.tab_id)
    return Reply(result, text=said(f"Tab {result.tab_id} is open.", result, f"now at {result.url}"))


async def preview(browser: Browser, call: Call, params: Params) -> Preview:
    address = wanted(params.url)
    return Preview(f"Open a tab at {address.url}", host=address.host or "")


TOOL = browser_tool(
    browser_tab_open, Params, Result, "Open a tab", effect=Effect.UI_CONTROL, preview=preview, locate=to_address
)
