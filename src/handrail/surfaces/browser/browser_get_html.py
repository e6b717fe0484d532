"""browser_get_html of contract 2."""

from msgspec import UNSET, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import WindowParams, XPath, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said, windowed


class Params(WindowParams, frozen=True, kw_only=True):
    xpath: XPath | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    artifact_id: str
    url: str


async def browser_get_html(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read the page's HTML, or with `xpath` that of one element. It is long: browser_dom_index and
    browser_readability_extract say more in fewer words. It comes in parts: go on with `offset`.
    """
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    told = await browser.read_page(call, page, for_plugin(params, "offset", "limit"))
    result = read(told, Result)
    whole = (await browser.bus.artifact(result.artifact_id)).data.decode("utf-8", "replace")
    part, following = windowed(whole, params.offset, params.limit)
    words = f"{len(part)} of {len(whole)} characters" + (f"; go on with offset {following}." if following else ".")
    return Reply(result, text=said(words, result, part))


TOOL = browser_tool(browser_get_html, Params, Result, "Read HTML")
