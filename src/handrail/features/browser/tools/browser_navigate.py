"""browser_navigate of contract 2."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.tab_actions import NAVIGATE, NavigateParams
from handrail.features.browser.navigation import address_of, destination, navigate
from handrail.kernel.call import Call
from handrail.kernel.tool import CallSubject, Preview, Reply


async def browser_navigate(browser: Browser, call: Call, params: NavigateParams, preview: Preview | None) -> Reply:
    """Go to a page, and wait until it can be read."""
    return await navigate(browser, call, NAVIGATE, params, preview, url=address_of(params.url).url)


async def preview(browser: Browser, call: Call, params: NavigateParams) -> Preview:
    address, page = address_of(params.url), await browser.page(call, params.tab_id)
    binding = {"tabId": str(page.tab_id), "url": page.address}
    return Preview(
        f"Go to {address.url}", about=CallSubject(address.url), place=address.place or "", binding=binding, state=page
    )


TOOL = browser_tool(NAVIGATE, browser_navigate, preview=preview, locate=destination)
