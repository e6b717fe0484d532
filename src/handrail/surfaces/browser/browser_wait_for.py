"""browser_wait_for of contract 2's catalogue, extended."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said


class Params(TabParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(min_length=1, max_length=1000)] | UnsetType = UNSET
    text_gone: Annotated[str, Meta(min_length=1, max_length=1000)] | UnsetType = UNSET
    idle_ms: Annotated[int, Meta(ge=1, le=60_000)] | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    met: Literal["text", "textGone", "idle"]


async def browser_wait_for(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Wait until a text appears (`text`), until it is gone (`textGone`), or until nothing has changed for
    `idleMs`. Waits at most `timeoutMs`, usually 30 s.
    """
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.carry_out(call, page, for_plugin(params)), Result)
    return Reply(result, text=said(f"Met: {result.met}.", result))


_ONE_OF = [{"required": [name]} for name in ("text", "textGone", "idleMs")]

TOOL = browser_tool(browser_wait_for, Params, Result, "Wait", also={"oneOf": _ONE_OF})
