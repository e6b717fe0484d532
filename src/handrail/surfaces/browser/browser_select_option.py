"""browser_select_option of contract 2's catalogue, extended."""

from typing import Annotated

from msgspec import Meta

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import act_and_tell, previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import ONE_ELEMENT, ElementParams
from handrail.surfaces.browser.results import Acted
from handrail.surfaces.browser.wording import quoted


class Params(ElementParams, frozen=True, kw_only=True):
    values: Annotated[list[str], Meta(min_length=1, max_length=200)]


class Result(Acted, frozen=True, kw_only=True):
    selected: list[str]


async def browser_select_option(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Choose the options of a list by their values or labels; in a list that takes only one, that one. The
    answer tells what changed.
    """
    return await act_and_tell(browser, call, params, preview, Result, "Selected.")


def _summary(params: Params, element: str) -> str:
    return f"Choose {', '.join(map(quoted, params.values))} in {element}"


TOOL = browser_tool(
    browser_select_option,
    Params,
    Result,
    "Choose options",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=ONE_ELEMENT,
)
