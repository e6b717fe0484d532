"""browser_page, beyond contract 2's catalogue: the page as a person reads it."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import PAGE, PageParams, PageResult
from handrail.features.browser.reply_text import reply_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_page(browser: Browser, call: Call, params: PageParams, preview: Preview | None) -> Reply:
    """Read the page: its visible text with what can be acted on in place, `[12 Help]`; 12 is the `clickId`."""
    result = await browser.read(call, PAGE, params)
    return Reply(
        result, text=reply_text(_words(result), result, "\n".join([*_head(browser, call, result), *result.lines]))
    )


def _head(browser: Browser, call: Call, result: PageResult) -> list[str]:
    """The page's title and address, unless the agent knows them already."""
    if not result.url or not browser.note_url(call.own_task, result.url):
        return []
    title = "" if not result.title or f"# {result.title}" in result.lines else f"{result.title} "
    return [f"{title}{result.url}"]


def _words(result: PageResult) -> str:
    if result.next_offset is not UNSET:
        return f"{len(result.lines)} of {result.total} lines; continue with offset {result.next_offset}."
    ends = [way for way, left in (("above", result.above), ("below", result.below)) if left]
    return f"More {' and '.join(ends)}." if ends else "All of it."


TOOL = browser_tool(PAGE, browser_page)
