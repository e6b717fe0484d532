"""browser_dom_index of contract 2."""

import msgspec
from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.page_actions import DOM_INDEX, DomIndexParams
from handrail.features.browser.reply_text import element_line, reply_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_dom_index(browser: Browser, call: Call, params: DomIndexParams, preview: Preview | None) -> Reply:
    """List what can be acted on, without the text: `12 button "Save"`, in view first. 12 is the `clickId`."""
    # The console draws the boxes on the last picture; the agent only gets them if it asked for them.
    result = await browser.read(call, DOM_INDEX, params, boxes=True)
    if not params.boxes:
        unplaced = [msgspec.structs.replace(element, bbox=UNSET) for element in result.elements]
        result = msgspec.structs.replace(result, elements=unplaced)
    shown, total = len(result.elements), result.total if result.total is not UNSET else len(result.elements)
    more = f"; continue with offset {result.next_offset}" if result.next_offset is not UNSET else ""
    head = f"{result.title or ''} {result.url or ''}".strip()
    lines = [*([head] if head else []), *map(element_line, result.elements)]
    return Reply(
        result, text=reply_text(f"{shown} of {total} elements, in view first{more}.", result, "\n".join(lines))
    )


TOOL = browser_tool(DOM_INDEX, browser_dom_index)
