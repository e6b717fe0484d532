"""browser_press_key of contract 2's catalogue, extended."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import act_and_tell, previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import AT_MOST_ONE_ELEMENT, Dialog, ElementParams
from handrail.surfaces.browser.results import Acted
from handrail.surfaces.browser.wording import quoted


class Params(ElementParams, frozen=True, kw_only=True):
    key: Annotated[str, Meta(min_length=1, max_length=64)]
    dialog: Dialog | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET


class Result(Acted, frozen=True, kw_only=True):
    pressed: Literal[True]
    key: str


async def browser_press_key(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Press a key, such as `Enter`, `Escape`, `ArrowDown` or `Control+a`, on an element or on whatever has the
    focus. The answer tells what changed.
    """
    return await act_and_tell(browser, call, params, preview, Result, f"Pressed {params.key}.")


def _summary(params: Params, element: str) -> str:
    return f"Press {quoted(params.key)}" + (f" on {element}" if element else "")


TOOL = browser_tool(
    browser_press_key,
    Params,
    Result,
    "Press a key",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=AT_MOST_ONE_ELEMENT,
)
