"""browser_hover of contract 2's catalogue, extended."""

from typing import Literal

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import act_and_tell, previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import ONE_ELEMENT, ElementParams
from handrail.surfaces.browser.results import Acted


class Params(ElementParams, frozen=True, kw_only=True):
    pass


class Result(Acted, frozen=True, kw_only=True):
    hovered: Literal[True]


async def browser_hover(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Move the mouse over an element, so that what it shows only then appears. The answer tells what changed."""
    return await act_and_tell(browser, call, params, preview, Result, "Hovered.")


def _summary(params: Params, element: str) -> str:
    return f"Move the mouse over {element}"


TOOL = browser_tool(
    browser_hover,
    Params,
    Result,
    "Hover",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=ONE_ELEMENT,
)
