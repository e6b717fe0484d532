"""browser_go_back of contract 2's catalogue, extended."""

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.acting import previewing
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.journey import Arrived, gone_to
from handrail.surfaces.browser.params import TabParams


class Params(TabParams, frozen=True, kw_only=True):
    pass


async def browser_go_back(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Go back to the page before this one, and wait until it can be read."""
    return await gone_to(browser, call, params, preview)


def _summary(params: Params, element: str) -> str:
    return "Go back"


TOOL = browser_tool(browser_go_back, Params, Arrived, "Go back", effect=Effect.UI_CONTROL, preview=previewing(_summary))
