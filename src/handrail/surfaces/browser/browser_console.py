"""browser_console of contract 2's catalogue, extended."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import TabParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import quoted, said


class Params(TabParams, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class Message(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    level: str
    text: str
    timestamp: float
    url: str | UnsetType = UNSET
    line: int | UnsetType = UNSET


class Result(Told, frozen=True, kw_only=True):
    messages: list[Message]
    total: int


async def browser_console(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read what the page has written to its console, the newest last."""
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    result = read(await browser.read_page(call, page, for_plugin(params)), Result)
    lines = [
        f"{message.level} {quoted(message.text, 500)}" + (f" {message.url}:{message.line or 0}" if message.url else "")
        for message in result.messages
    ]
    return Reply(result, text=said(f"{len(result.messages)} of {result.total} messages.", result, "\n".join(lines)))


TOOL = browser_tool(browser_console, Params, Result, "Read the console")
