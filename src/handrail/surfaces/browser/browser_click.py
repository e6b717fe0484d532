"""browser_click of contract 2."""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import act_and_tell, previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import ONE_ELEMENT, Dialog, ElementParams
from handrail.surfaces.browser.results import Acted


class Params(ElementParams, frozen=True, kw_only=True):
    strategy: Literal["cdp_mouse", "dom_click"] | UnsetType = UNSET
    dialog: Dialog | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET


class Result(Acted, frozen=True, kw_only=True):
    clicked: Literal[True]
    strategy: str


async def browser_click(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Click an element, by its `clickId` from browser_dom_index (or by `xpath`). It is scrolled into view, and
    refused when something covers it. The answer tells in a few lines what changed. INVALID_TARGET: the element
    is gone or covered; index the page again.
    """
    return await act_and_tell(browser, call, params, preview, Result, "Clicked.")


def _summary(params: Params, element: str) -> str:
    return f"Click {element}"


TOOL = browser_tool(
    browser_click,
    Params,
    Result,
    "Click",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=ONE_ELEMENT,
)
