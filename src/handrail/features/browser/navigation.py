"""Navigates: reads the address of a call, opens it, and reports where the tab arrived."""

from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from handrail.features.browser.browser import Browser, decode_result
from handrail.features.browser.bus.browser_action import BrowserAction, TabParams
from handrail.features.browser.bus.tab_actions import (
    NavigateResult,
    TabOpenParams,
    TabOpenResult,
    TaskStartParams,
    TaskStartResult,
)
from handrail.features.browser.page_input import act
from handrail.features.browser.reply_text import reply_text
from handrail.kernel import web_address
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Reply

OpenT = TypeVar("OpenT", TaskStartParams, TabOpenParams)
ResultT = TypeVar("ResultT", TaskStartResult, TabOpenResult)


async def destination(browser: Browser, call: Call, params: Any) -> Target:
    """The target of the address in the parameters; a blank page without one."""
    return Target(place=address_of(params.url).place)


def address_of(url: str | UnsetType) -> web_address.WebAddress:
    return web_address.parse_address(web_address.BLANK if url is UNSET else url)


async def navigate(
    browser: Browser,
    call: Call,
    action: BrowserAction[Any, NavigateResult],
    params: TabParams,
    preview: Preview | None,
    **overrides: str,
) -> Reply:
    """`overrides`: the address as the policy parsed it, instead of the parameter's."""
    result = await act(browser, call, action, params, preview, leaves=bool(overrides), **overrides)
    task = (await browser.task(call)).task_id
    browser.set_current_tab(task, result.tab_id)
    browser.note_url(task, result.url)
    return Reply(result, text=reply_text(f"Tab {result.tab_id} has arrived.", result, f"now at {result.url}"))


async def open_tab(browser: Browser, call: Call, action: BrowserAction[OpenT, ResultT], params: OpenT) -> ResultT:
    """Opens a tab, in which the task continues."""
    task = (await browser.task(call)).task_id
    values = action.plugin_params(params) | ({} if params.url is UNSET else {"url": address_of(params.url).url})
    raw = await browser.send(call, task, action.name, values)
    result = decode_result(raw, action.result)
    await browser.check_arrival(call, task, result.tab_id, {"pageUrl": result.url, **raw})
    browser.set_current_tab(task, result.tab_id)
    browser.note_url(task, result.url)
    return result
