"""Going to a page: where a call wants to go, and where it has come to."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from handrail.contract.call import Call
from handrail.contract.target import Target
from handrail.contract.tool import Preview, Reply
from handrail.core import web_address
from handrail.surfaces.browser.acting import acted
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.params import TabParams
from handrail.surfaces.browser.results import Travelled, read
from handrail.surfaces.browser.wording import said


class Arrived(Travelled, frozen=True, kw_only=True):
    navigated: Literal[True]
    tab_id: int
    url: str


async def to_address(browser: Browser, call: Call, params: Any) -> Target:
    """Where the parameters want to go; without an address, to a blank page."""
    return Target(host=wanted(params.url).host)


def wanted(url: str | UnsetType) -> web_address.WebAddress:
    return web_address.read(web_address.BLANK if url is UNSET else url)


async def gone_to(browser: Browser, call: Call, params: TabParams, preview: Preview | None, **given: str) -> Reply:
    """`given` is the address that takes the place of the parameter's, as the policy has understood it."""
    result = read(await acted(browser, call, params, preview, leaves=bool(given), **given), Arrived)
    browser.stay_at((await browser.task(call)).task_id, result.tab_id)
    return Reply(result, text=said(f"Tab {result.tab_id} has arrived.", result, f"now at {result.url}"))
