"""browser_readability_extract of contract 2."""

from collections.abc import Mapping
from typing import Any

from handrail.features.browser.browser import Browser, decode_result
from handrail.features.browser.browser_tool import browser_tool
from handrail.features.browser.bus.browser_action import TextPartParams
from handrail.features.browser.bus.page_actions import READABILITY
from handrail.features.browser.reply_text import reply_text, text_part
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply


async def browser_readability_extract(
    browser: Browser, call: Call, params: TextPartParams, preview: Preview | None
) -> Reply:
    """Read an article, or else all text of the page."""
    raw = await browser.read_raw(call, READABILITY, params)
    whole = await _whole(browser, raw)
    part, following, words = text_part(whole, params.offset, params.limit)
    more = {} if following is None else {"truncated": True, "nextOffset": following}
    result = decode_result({**raw, "markdown": part, "truncated": False, **more}, READABILITY.result)
    title = f"# {result.title}\n" if result.title and params.offset == 0 else ""
    return Reply(result, text=reply_text(words, result, title + part))


async def _whole(browser: Browser, raw: Mapping[str, Any]) -> str:
    """The whole text. Plugins send long texts as artifacts, and plain text if there is no Markdown."""
    text = raw.get("markdown") or raw.get("text")
    if isinstance(text, str):
        return text
    artifact_id = raw.get("artifactId")
    return (await browser.bus.artifact(artifact_id)).data.decode("utf-8", "replace") if artifact_id else ""


TOOL = browser_tool(READABILITY, browser_readability_extract)
