"""Navigation: where a call wants to go, and where it arrived."""

from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from handrail.features.browser.browser import Browser, read
from handrail.features.browser.bus.browser_action import BrowserAction, TabParams
from handrail.features.browser.bus.tab_actions import (
    NavigateResult,
    TabOpenParams,
    TabOpenResult,
    TaskStartParams,
    TaskStartResult,
)
from handrail.features.browser.page_input import act
from handrail.features.browser.reply_text import said
from handrail.kernel import web_address
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Reply

OpenT = TypeVar("OpenT", TaskStartParams, TabOpenParams)
ResultT = TypeVar("ResultT", TaskStartResult, TabOpenResult)


async def to_address(browser: Browser, call: Call, params: Any) -> Target:
    """The destination in the parameters; without an address, a blank page."""
    return Target(place=address_of(params.url).place)


def address_of(url: str | UnsetType) -> web_address.WebAddress:
    return web_address.parse_address(web_address.BLANK if url is UNSET else url)


async def go(
    browser: Browser,
    call: Call,
    action: BrowserAction[Any, NavigateResult],
    params: TabParams,
    preview: Preview | None,
    **given: str,
) -> Reply:
    """`given` is the address to use instead of the parameter's, as the policy understood it."""
    result = await act(browser, call, action, params, preview, leaves=bool(given), **given)
    task = (await browser.task(call)).task_id
    browser.stay_at(task, result.tab_id)
    browser.tell(task, result.url)
    return Reply(result, text=said(f"Tab {result.tab_id} has arrived.", result, f"now at {result.url}"))


async def open_tab(browser: Browser, call: Call, action: BrowserAction[OpenT, ResultT], params: OpenT) -> ResultT:
    """The task continues in the new tab."""
    task = (await browser.task(call)).task_id
    given = action.plugin_params(params) | ({} if params.url is UNSET else {"url": address_of(params.url).url})
    told = await browser.send(call, task, action.name, given)
    result = read(told, action.result)
    await browser.arrived(call, task, result.tab_id, {"pageUrl": result.url, **told})
    browser.stay_at(task, result.tab_id)
    browser.tell(task, result.url)
    return result
