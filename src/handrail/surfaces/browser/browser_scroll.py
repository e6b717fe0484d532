"""browser_scroll of contract 2's catalogue, extended."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import act_and_tell, previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import AT_MOST_ONE_ELEMENT, ElementParams
from handrail.surfaces.browser.results import Acted


class Params(ElementParams, frozen=True, kw_only=True):
    direction: Literal["up", "down", "left", "right"] | UnsetType = UNSET
    amount: Annotated[int, Meta(ge=1, le=1_000_000, description="Pixels; usually most of a screen.")] | UnsetType = (
        UNSET
    )


class Result(Acted, frozen=True, kw_only=True):
    scrolled: Literal[True]
    x: float
    y: float
    at_end: bool


async def browser_scroll(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Scroll the page, or the list that an element stands in; with an element and no `direction`, that element
    into view. `atEnd` tells that there is nothing more in that direction.
    """
    return await act_and_tell(browser, call, params, preview, Result, "Scrolled.")


def _summary(params: Params, element: str) -> str:
    return f"Scroll {element or params.direction or 'down'}"


TOOL = browser_tool(
    browser_scroll,
    Params,
    Result,
    "Scroll",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=AT_MOST_ONE_ELEMENT,
)
