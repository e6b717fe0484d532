"""browser_type of contract 2."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

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
    text: Annotated[str, Meta(max_length=200_000)]
    submit: bool = False
    append: bool = False
    strategy: Literal["cdp_key", "dom_input"] | UnsetType = UNSET


class Result(Acted, frozen=True, kw_only=True):
    typed: Literal[True]
    strategy: str


async def browser_type(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Type into a field, in place of what it holds; with `append` after it, with `submit` followed by Enter. The
    answer tells what changed.
    """
    return await act_and_tell(browser, call, params, preview, Result, "Typed.")


def _summary(params: Params, element: str) -> str:
    return f"Type {quoted(params.text)} into {element}{', then Enter' if params.submit else ''}"


TOOL = browser_tool(
    browser_type,
    Params,
    Result,
    "Type",
    effect=Effect.UI_CONTROL,
    preview=previewing(_summary),
    also=ONE_ELEMENT,
)
