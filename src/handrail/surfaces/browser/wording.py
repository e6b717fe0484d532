"""Results as a model reads them: few words, and what a page says fenced off from what we say."""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from handrail.core import quoting
from handrail.core.quoting import quoted
from handrail.surfaces.browser.results import Changes, Element, Told

__all__ = ["changes_said", "element_line", "fenced", "quoted", "said", "windowed"]


def fenced(text: str) -> str:
    return quoting.fenced(text, "page content")


def said(words: str, result: Told, page: str = "") -> str:
    """Our words, then the plugin's warnings, then the page's own; the last two may quote the page."""
    warnings = [] if result.warnings is UNSET else [f"warning: {warning}" for warning in result.warnings]
    told = "\n".join([*warnings, *([page] if page else [])])
    return f"{words}\n{fenced(told)}" if told else words


def changes_said(changes: Changes | UnsetType) -> tuple[str, str]:
    """What changed, as a part of our own sentence and as lines that quote the page."""
    if changes is UNSET:
        return "No change was seen.", ""
    own = [] if changes.new_tab is UNSET else [f"Tab {changes.new_tab} was opened."]
    lines = []
    if changes.navigated is not UNSET:
        lines.append(f"now at {changes.navigated}")
    if changes.dialog is not UNSET:
        lines.append(f"{changes.dialog.type} dialog: {changes.dialog.message}")
    if changes.download is not UNSET:
        lines.append(f"download: {changes.download.filename} {changes.download.state}".rstrip())
    lines += [f"- {line}" for line in _given(changes.removed)]
    lines += [f"+ {line}" for line in _given(changes.added)]
    if changes.more is not UNSET and changes.more > 0:
        own.append(f"{changes.more} more lines changed.")
    return " ".join(own), "\n".join(lines)


def element_line(element: Element) -> str:
    """`12 button "Save" = "…" disabled`"""
    kind = element.tag if element.role in (UNSET, "generic", "") else element.role
    name = next((text for text in (element.name, element.text) if text), "")
    parts = [element.click_id, str(kind), quoted(str(name))]
    if element.value:
        parts.append(f"= {quoted(str(element.value))}")
    return " ".join([*parts, *_given(element.states)])


def windowed(text: str, offset: int, limit: int) -> tuple[str, int | None]:
    """A part of a long text, and where the next one begins."""
    end = offset + limit
    return text[offset:end], end if end < len(text) else None


def _given(lines: list[str] | UnsetType) -> Iterable[str]:
    return () if lines is UNSET else lines
