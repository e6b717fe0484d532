"""browser_navigate of contract 2."""

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.journey import Arrived, gone_to, to_address, wanted
from handrail.surfaces.browser.params import TabParams, Url


class Params(TabParams, frozen=True, kw_only=True):
    url: Url


async def browser_navigate(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Go to a page in the task's tab, and wait until it can be read. `url` in the answer is where it led to:
    where a redirect ends at a host that is not allowed, the tab is emptied and the answer is FORBIDDEN.
    """
    return await gone_to(browser, call, params, preview, url=wanted(params.url).url)


async def preview(browser: Browser, call: Call, params: Params) -> Preview:
    address, page = wanted(params.url), await browser.page(call, params.tab_id)
    binding = {"tabId": str(page.tab_id), "url": page.address}
    return Preview(f"Go to {address.url}", host=address.host or "", binding=binding, state=page)


TOOL = browser_tool(
    browser_navigate,
    Params,
    Arrived,
    "Go to a page",
    effect=Effect.UI_CONTROL,
    preview=preview,
    locate=to_address,
)
