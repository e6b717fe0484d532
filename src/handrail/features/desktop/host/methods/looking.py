"""desktop.observe, find, highlight and listModals: elements that are looked at. Nothing is touched."""

from typing import Annotated, Any, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.host import marking, screen_picture
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.outline import (
    outline,
    shallow,
    spelled_matches,
    spelled_tree,
    spelled_window,
)
from handrail.features.desktop.host.own_windows import UNTOLD, why_closed
from handrail.features.desktop.host.params import RoutedParams, Selector, Target, Wire
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import NOWHERE, Routed, resolve
from handrail.features.desktop.host.search import Match
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.features.desktop.platform import Element, Mark, Query, Reader, Rect, Window
from handrail.ports.errors import Declined, Failure, InvalidParams


class FindParams(RoutedParams, frozen=True, kw_only=True):
    selector: Selector


async def find(services: Services, execution: Execution, params: FindParams) -> Result:
    search = await services.search()
    routed = await search.routed(params.route)
    matches = await search.matches(routed, params.selector)
    given = matches[: params.selector.limit]
    record = execution.record
    return {
        "elementRefs": [services.refs.spelled(match.window, match.found) for match in given],
        "matched": len(matches),
        "routeResolved": routed.spelled(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", spelled_matches(routed, given, services.refs)),
        },
    }


FIND = Reading("desktop.find", FindParams, find)


class HighlightParams(RoutedParams, frozen=True, kw_only=True):
    target: Target
    duration_ms: Annotated[int, Bound(ge=1, le=60_000)] = 1_200


async def highlight(services: Services, execution: Execution, params: HighlightParams) -> Result:
    routed, match = await (await services.search()).target(params.target, params.route)
    frame = match.found.element.frame
    if frame is None:
        raise ElementNotFound("The element has no place on the screen.")
    await (await services.source.get()).highlight(frame, params.duration_ms)
    return {
        "highlighted": True,
        "element": services.refs.spelled(match.window, match.found),
        "routeResolved": routed.spelled(),
        "evidence": {"dir": execution.record.dir},
    }


HIGHLIGHT = Reading("desktop.highlight", HighlightParams, highlight)


async def list_modals(services: Services, execution: Execution, params: RoutedParams) -> Result:
    desktop = await services.source.get()
    everything = await desktop.windows()
    windows = everything if params.route is None else resolve(everything, params.route).windows
    modals = [
        await _modal(desktop, services.refs, window)
        for window in windows
        if window.is_modal and await why_closed(desktop, window, everything) in (None, UNTOLD)
    ]
    record = execution.record
    return {
        "modals": modals,
        "count": len(modals),
        "evidence": {"dir": record.dir, "axPath": record.add("ax.json", {"modals": modals})},
    }


async def _modal(reader: Reader, refs: ElementRefs, window: Window) -> dict[str, Any]:
    buttons = await reader.find(window, Query(role="AXButton"))
    return {**spelled_window(window), "buttons": [refs.spelled(window, found) for found in buttons]}


LIST_MODALS = Reading("desktop.listModals", RoutedParams, list_modals)


DEEPEST = 100
_UNREADABLE = "(this program exposes no elements: look at the picture, and use keys, text and points)"


class ObserveOptions(Wire, frozen=True, kw_only=True):
    include_screenshot: bool = True
    include_ax_tree: bool = True
    ax_max_depth: Annotated[int, Bound(ge=1, le=100)] = 8
    ax_max_nodes: Annotated[int, Bound(ge=1, le=20_000)] = 2_000
    area: Literal["screen", "window", "element"] = "screen"
    outline: bool = False
    marks: bool = False
    """What can be clicked is numbered in the picture."""
    outlined: bool = False
    """The target is drawn around in the picture."""


class ObserveParams(RoutedParams, frozen=True, kw_only=True):
    options: ObserveOptions = ObserveOptions()
    target: Target | None = None

    def __post_init__(self) -> None:
        if self.target is None and (self.options.area == "element" or self.options.outlined):
            raise ValueError("area element and outlined need a target.")


async def observe(services: Services, execution: Execution, params: ObserveParams) -> Result:
    options, record = params.options, execution.record
    routed, match = await _subject(services, params)
    evidence: dict[str, str] = {"dir": record.dir}
    result: Result = {"routeResolved": NOWHERE if routed is None else routed.spelled(), "evidence": evidence}
    if match is not None:
        result["element"] = services.refs.spelled(match.window, match.found)
    if options.include_screenshot:
        desktop = await services.source.get()
        element = match.found.element if match is not None else None
        area = _area(options.area, routed.window if routed is not None else None, element)
        outlined = element.frame if element is not None and options.outlined else None
        marks: list[Mark] = []
        if options.marks and routed is not None:
            marks = await marking.marks(desktop, services.refs, routed.window)
            result["marks"] = marking.spelled(services.refs, marks)
        shot = await screen_picture.take(desktop, area, outlined=outlined, marked=marks)
        evidence["screenshotPath"] = record.add("observe.png", shot.png)
        result["area"] = {"x": shot.area.x, "y": shot.area.y, "width": shot.area.width, "height": shot.area.height}
    if options.include_ax_tree or options.outline:
        await _read_tree(services, execution, options, routed, result)
    return result


async def _subject(services: Services, params: ObserveParams) -> tuple[Routed | None, Match | None]:
    """A picture of the screen alone needs no window, and no accessibility."""
    options, search = params.options, await services.search()
    if params.target is not None:
        return await search.target(params.target, params.route)
    try:
        return await search.routed(params.route), None
    except Declined:
        raise
    except Failure as failure:
        is_read = options.include_ax_tree or options.outline
        if params.route is not None or options.area != "screen":
            raise
        if is_read and not isinstance(failure, ElementNotFound):
            raise
        return None, None


async def _read_tree(
    services: Services, execution: Execution, options: ObserveOptions, routed: Routed | None, result: Result
) -> None:
    record, evidence = execution.record, result["evidence"]
    desktop = await services.source.get()
    if routed is None:
        if options.outline:
            result["outline"] = ""
            result["windows"] = [spelled_window(window) for window in await desktop.windows()]
        if options.include_ax_tree:
            evidence["axPath"] = record.add("ax.json", {"route": None, "windows": [], "nodeCount": 0, "root": None})
        return
    read = await desktop.tree(routed.window, max_depth=DEEPEST, max_nodes=options.ax_max_nodes)
    tree = shallow(read, options.ax_max_depth)
    name = services.refs.naming(routed.window)
    if options.outline:
        told = outline(tree.root, name, is_cut=tree.is_cut)
        result["outline"] = told if routed.window.is_readable else f"{told}\n  {_UNREADABLE}"
        result["windows"] = [spelled_window(window) for window in routed.everything]
    if options.include_ax_tree:
        evidence["axPath"] = record.add("ax.json", spelled_tree(routed, tree, name))
        result["nodeCount"], result["truncated"] = tree.count, tree.is_cut


def _area(area: str, window: Window | None, element: Element | None) -> Rect | None:
    if area == "screen":
        return None
    frame = element.frame if area == "element" and element is not None else window.frame if window is not None else None
    if frame is None or frame.width <= 0 or frame.height <= 0:
        raise InvalidParams(f"params.options.area: the {area} has no place on the screen.", field="params.options.area")
    return frame


OBSERVE = Reading("desktop.observe", ObserveParams, observe)
