"""browser_readability_extract of contract 2."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from handrail.contract.call import Call
from handrail.contract.tool import Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.declaration import browser_tool
from handrail.surfaces.browser.params import WindowParams, for_plugin
from handrail.surfaces.browser.results import Told, read
from handrail.surfaces.browser.wording import said, windowed


class Params(WindowParams, frozen=True, kw_only=True):
    pass


class Result(Told, frozen=True, kw_only=True):
    markdown: str = ""
    title: str | UnsetType = UNSET
    artifact_id: str | UnsetType = UNSET
    content_length_bytes: int | UnsetType = UNSET
    truncated: bool = False
    next_offset: int | UnsetType = UNSET


async def browser_readability_extract(browser: Browser, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read the page's main text as Markdown, without menus and advertising. A long text comes in parts: go on
    with `offset`.
    """
    page = await browser.page(call, params.tab_id)
    page.check_is_web()
    told = await browser.read_page(call, page, for_plugin(params, "offset", "limit"))
    whole = await _whole(browser, told)
    part, following = windowed(whole, params.offset, params.limit)
    more = {} if following is None else {"truncated": True, "nextOffset": following}
    result = read({**told, "markdown": part, "truncated": False, **more}, Result)
    words = f"{len(part)} of {len(whole)} characters" + (f"; go on with offset {following}." if following else ".")
    title = f"# {result.title}\n" if result.title and params.offset == 0 else ""
    return Reply(result, text=said(words, result, title + part))


async def _whole(browser: Browser, told: Mapping[str, Any]) -> str:
    """A long text comes as an artifact, a plain one where there is no Markdown."""
    text = told.get("markdown") or told.get("text")
    if isinstance(text, str):
        return text
    artifact_id = told.get("artifactId")
    return (await browser.bus.artifact(artifact_id)).data.decode("utf-8", "replace") if artifact_id else ""


TOOL = browser_tool(browser_readability_extract, Params, Result, "Read a page")
