"""Writes results as short texts for a model, with the page's own words fenced off."""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from handrail.features.browser.bus.browser_action import Changes, InputResult, Result, VisitResult
from handrail.features.browser.bus.page_actions import Element
from handrail.kernel.quoting import fence_text, quote_text


def reply_text(words: str, result: Result, page: str = "") -> str:
    """Our own text, then fenced: the plugin's warnings, which may quote the page, and the page's text."""
    warnings = [] if result.warnings is UNSET else [f"warning: {warning}" for warning in result.warnings]
    hops = [f"by way of {hop}" for hop in _lines(result.hops)] if isinstance(result, VisitResult) else []
    fenced = "\n".join([*warnings, *hops, *([page] if page else [])])
    return f"{words}\n{fence_text(fenced, 'page content')}" if fenced else words


def with_changes(words: str, result: InputResult) -> str:
    own, lines = _changes(result.changes)
    return reply_text(f"{words} {own}".rstrip(), result, lines)


def element_line(element: Element) -> str:
    """`12 button "Save" = "…" disabled`"""
    kind = element.tag if element.role in (UNSET, "generic", "") else element.role
    name = next((text for text in (element.name, element.text) if text), "")
    parts = [
        element.click_id,
        str(kind),
        *([quote_text(str(name))] if name else []),
        *([str(element.hint)] if element.hint else []),
    ]
    if not name and not element.hint:
        parts.append('""')
    if element.value:
        parts.append(f"= {quote_text(str(element.value))}")
    return " ".join([*parts, *_lines(element.states)])


def text_part(text: str, offset: int, limit: int) -> tuple[str, int | None, str]:
    """A part of a long text, the offset of the next part, and a sentence about both."""
    part, end = text[offset : offset + limit], offset + limit
    following = end if end < len(text) else None
    more = f"; continue with offset {following}." if following else "."
    return part, following, f"{len(part)} of {len(text)} characters{more}"


def _changes(changes: Changes | UnsetType) -> tuple[str, str]:
    """The changes in our own words, and the lines that quote the page."""
    if changes is UNSET:
        return "No change was seen.", ""
    own = [] if changes.new_tab is UNSET else [f"Tab {changes.new_tab} was opened."]
    if changes.closed is True:
        own.append("The page closed its tab.")
    if changes.look is True:
        own.append(
            "No text and no element changed, but the page may look different, or be scrolled: see browser_screenshot."
        )
    lines = []
    if changes.navigated is not UNSET:
        lines.append(f"now at {changes.navigated}")
    if changes.dialog is not UNSET:
        answer = f" ({changes.dialog.answer})" if changes.dialog.answer else ""
        lines.append(f"{changes.dialog.type} dialog{answer}: {changes.dialog.message}")
    if changes.download is not UNSET:
        lines.append(f"download: {changes.download.filename} {changes.download.state}".rstrip())
    lines += [f"- {line}" for line in _lines(changes.removed)]
    lines += [f"+ {line}" for line in _lines(changes.added)]
    if changes.more is not UNSET and changes.more > 0:
        own.append(f"{changes.more} more lines changed.")
    return " ".join(own), "\n".join(lines)


def _lines(lines: list[str] | UnsetType) -> Iterable[str]:
    return () if lines is UNSET else lines
