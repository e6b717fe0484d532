"""task_group_update of contract 2."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import BrowserParams, Colour, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import quoted, said


class Params(BrowserParams, frozen=True, kw_only=True):
    color: Colour | UnsetType = UNSET
    title: Annotated[str, Meta(min_length=1, max_length=80)] | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    updated: Literal[True]


async def task_group_update(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Give the group of the task's tabs another title or colour, so that the person sees what you are at."""
    task = (await browser.task(call)).task_id
    result = read(await browser.send(call, task, call.tool, for_plugin(params)), Result)
    return Reply(result, text=said("Updated.", result))


async def preview(browser: Browser, call: Call, params: Params) -> Preview:
    title = "" if params.title is UNSET else f" {quoted(params.title)}"
    colour = "" if params.color is UNSET else f" {params.color}"
    return Preview(f"Name the group of tabs{title}{colour}", host="")


TOOL = browser_tool(
    task_group_update,
    Params,
    Result,
    "Name the group of tabs",
    effect=Effect.UI_CONTROL,
    preview=preview,
    also={"anyOf": [{"required": ["color"]}, {"required": ["title"]}]},
)
