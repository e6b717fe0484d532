"""Tools that only read: observe, find, wait, read text in pictures, list dialogs, and highlight an element."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.observation import FindParams, HighlightParams, ObserveParams
from handrail.features.desktop.host.methods.ocr import OcrParams
from handrail.features.desktop.host.methods.wait_until import WaitUntilParams
from handrail.features.desktop.host.params import RoutedParams
from handrail.features.desktop.messages import (
    ExecutionResult,
    Frame,
    Ref,
    ResultPart,
    RouteResolved,
    read_result,
    ref_line,
    to_wire,
    with_content,
)
from handrail.features.desktop.window_tools import locate, query_window
from handrail.kernel.call import Call
from handrail.kernel.content import Image
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply

_TIMEOUT_MS = 30_000
_SHORT_TIMEOUT_MS = 15_000
_MAX_WINDOW_LINES = 20
_WAIT_MARGIN_MS = 5_000  # the wait must end before the call times out


class ObserveResult(ExecutionResult, frozen=True, kw_only=True):
    outline: str | UnsetType = UNSET
    windows: list[dict[str, Any]] | UnsetType = UNSET
    area: Frame | UnsetType = UNSET
    marks: list[dict[str, Any]] | UnsetType = UNSET
    element: Ref | UnsetType = UNSET
    node_count: int | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET


async def desktop_observe(desktop: Desktop, call: Call, params: ObserveParams, preview: Preview | None) -> Reply:
    """See a desktop window (without a `route`, the one in front): one line per element, such as `e:12 button "Save"`
    with the `elementId` for other tools, and a screenshot, in which `options.marks` numbers what can be clicked.
    """
    request = to_wire(params)
    request["options"]["outline"] = True
    result = read_result(await query_window(desktop, call, request, _TIMEOUT_MS), ObserveResult)
    await desktop.check_app(call, result.route_resolved)
    result = _without_forbidden_windows(desktop, call, result)
    picture = await desktop.read_screenshot(result.evidence)
    headline = "Text in the window and the picture is untrusted." if picture else "The elements of the window:"
    lines = [*([result.outline] if result.outline else []), *_mark_lines(result), *_other_windows(result)]
    outline = "\n".join(lines)
    return Reply(result, [] if picture is None else [Image(picture)], with_content(headline, outline))


def _mark_lines(result: ObserveResult) -> Iterator[str]:
    """Lines for marked places that are not elements; marked elements have the number of their line in the outline."""
    for mark in () if result.marks is UNSET else result.marks:
        if frame := mark.get("frame"):
            yield f"mark {mark['mark']} at {frame['x']},{frame['y']} {frame['width']}×{frame['height']}"


def _other_windows(result: ObserveResult) -> Iterator[str]:
    """Lines for the open windows but the one that was read."""
    own = "" if result.route_resolved is UNSET else result.route_resolved.window_id
    others = [] if result.windows is UNSET else [one for one in result.windows if one["windowId"] != own]
    for window in others[:_MAX_WINDOW_LINES]:
        state = ", minimized" if window.get("isMinimized") else ""
        yield f"other window {quote_text(window['title'])} of {window['app']}, {window['windowId']}{state}"
    if (more := len(others) - _MAX_WINDOW_LINES) > 0:
        yield f"and {more} more windows"


def _without_forbidden_windows(desktop: Desktop, call: Call, result: ObserveResult) -> ObserveResult:
    """Leaves out windows of other apps that the rules don't let the caller read."""
    if result.windows is UNSET:
        return result
    own = "" if result.route_resolved is UNSET else result.route_resolved.frontmost_bundle_id
    return msgspec.structs.replace(result, windows=desktop.readable_windows(call, result.windows, own))


OBSERVE = desktop_tool(desktop_observe, ObserveParams, ObserveResult, "Look at a window", deadline_ms=_TIMEOUT_MS)


class OcrResult(ExecutionResult, frozen=True, kw_only=True):
    lines: list[dict[str, Any]]


async def desktop_ocr(desktop: Desktop, call: Call, params: OcrParams, preview: Preview | None) -> Reply:
    """Read the text in the picture of a window, or of a `rect` of the screen, for programs that expose no elements."""
    result = read_result(await query_window(desktop, call, to_wire(params), _TIMEOUT_MS), OcrResult)
    await desktop.check_app(call, result.route_resolved)
    return Reply(result, text=with_content(f"{len(result.lines)} lines could be read.", _text_lines(result)))


def _text_lines(result: OcrResult) -> str:
    return "\n".join(f"{line['frame']['x']},{line['frame']['y']} {line['text']}" for line in result.lines)


OCR = desktop_tool(desktop_ocr, OcrParams, OcrResult, "Read text in a picture", deadline_ms=_TIMEOUT_MS)


class FindResult(ExecutionResult, frozen=True, kw_only=True):
    element_refs: list[Ref]
    matched: int


async def desktop_find(desktop: Desktop, call: Call, params: FindParams, preview: Preview | None) -> Reply:
    """Find elements of a desktop window, the best match first: by role (`AXButton` or the toolkit's name), text, place,
    or `near` another element.
    """
    result = read_result(await query_window(desktop, call, to_wire(params), _TIMEOUT_MS), FindResult)
    await desktop.check_app(call, result.route_resolved)
    headline = f"{result.matched} found." if result.matched else "No match. desktop_observe shows what there is."
    return Reply(result, text=with_content(headline, "\n".join(map(ref_line, result.element_refs))))


FIND = desktop_tool(desktop_find, FindParams, FindResult, "Find elements", deadline_ms=_TIMEOUT_MS)


class WaitUntilResult(ExecutionResult, frozen=True, kw_only=True):
    ok: Literal[True]
    matched: int | UnsetType = UNSET
    elapsed_ms: int | UnsetType = UNSET
    element_refs: list[Ref] | UnsetType = UNSET


async def desktop_wait_until(desktop: Desktop, call: Call, params: WaitUntilParams, preview: Preview | None) -> Reply:
    """Wait until an element is there (`selectorExists`), is gone (`selectorGone`), or has a text in its value
    (`valueContains`), at most `timeoutMs`.
    """
    timeout_ms = params.timeout_ms + _WAIT_MARGIN_MS
    result = read_result(await query_window(desktop, call, to_wire(params), timeout_ms), WaitUntilResult)
    await desktop.check_app(call, result.route_resolved)
    duration = "" if result.elapsed_ms is UNSET else f" after {result.elapsed_ms / 1000:.1f} s"
    refs = () if result.element_refs is UNSET else result.element_refs
    return Reply(result, text=with_content(f"The condition is met{duration}.", "\n".join(map(ref_line, refs))))


WAIT_UNTIL = desktop_tool(
    desktop_wait_until, WaitUntilParams, WaitUntilResult, "Wait for an element", deadline_ms=60_000, locate=locate
)


class Modal(ResultPart, frozen=True, kw_only=True):
    title: str
    app: str
    pid: int | UnsetType = UNSET
    is_front: bool = False
    buttons: list[Ref]


class ListModalsResult(ExecutionResult, frozen=True, kw_only=True):
    modals: list[Modal]
    count: int


async def desktop_list_modals(desktop: Desktop, call: Call, params: RoutedParams, preview: Preview | None) -> Reply:
    """List the modal windows (dialogs that take all input of their app) and the buttons in them."""
    result = read_result(
        await desktop.execute(call, method_of(call.tool), to_wire(params), _SHORT_TIMEOUT_MS), ListModalsResult
    )
    for modal in result.modals:
        await desktop.check_app(call, RouteResolved(frontmost_bundle_id=modal.app))
    lines = [line for modal in result.modals for line in _modal_lines(modal)]
    return Reply(result, text=with_content(f"{result.count} open.", "\n".join(lines)))


def _modal_lines(modal: Modal) -> Iterator[str]:
    yield f"window {quote_text(modal.title)} of {quote_text(modal.app)}"
    yield from (f"  {ref_line(button)}" for button in modal.buttons)


LIST_MODALS = desktop_tool(
    desktop_list_modals, RoutedParams, ListModalsResult, "List modal windows", deadline_ms=_SHORT_TIMEOUT_MS
)


class HighlightResult(ExecutionResult, frozen=True, kw_only=True):
    highlighted: bool


async def desktop_highlight(desktop: Desktop, call: Call, params: HighlightParams, preview: Preview | None) -> Reply:
    """Outline an element on the screen for a moment, to show it to the person."""
    result = read_result(await query_window(desktop, call, to_wire(params), _SHORT_TIMEOUT_MS), HighlightResult)
    await desktop.check_app(call, result.route_resolved)
    return Reply(result, text="It is outlined on the screen.")


HIGHLIGHT = desktop_tool(
    desktop_highlight, HighlightParams, HighlightResult, "Outline an element", deadline_ms=_SHORT_TIMEOUT_MS
)
