"""desktop.observe, find, highlight and listModals: methods that only look at windows and elements."""

from typing import Annotated, Any, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Element, Mark, Query, Reader, Rect, Window
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.marks import marks_to_wire, number_clickable_places
from handrail.features.desktop.host.outline import (
    limit_depth,
    matches_to_wire,
    outline,
    tree_to_wire,
    window_to_wire,
)
from handrail.features.desktop.host.own_windows import UNKNOWN_PAGE, why_off_limits
from handrail.features.desktop.host.params import RoutedParams, Selector, Target, Wire
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import NOWHERE, ResolvedRoute, resolve_route
from handrail.features.desktop.host.search import Match
from handrail.features.desktop.host.services import ReadMethod, Result, Services
from handrail.ports.errors import Declined, Failure, InvalidParams


class FindParams(RoutedParams, frozen=True, kw_only=True):
    selector: Selector


async def find(services: Services, execution: Execution, params: FindParams) -> Result:
    search = await services.search()
    resolved_route = await search.resolve_route(params.route)
    matches = await search.matches(resolved_route, params.selector)
    first_matches = matches[: params.selector.limit]
    record = execution.record
    return {
        "elementRefs": [services.refs.to_wire(match.window, match.located) for match in first_matches],
        "matched": len(matches),
        "routeResolved": resolved_route.to_wire(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", matches_to_wire(resolved_route, first_matches, services.refs)),
        },
    }


FIND = ReadMethod("desktop.find", FindParams, find)


class HighlightParams(RoutedParams, frozen=True, kw_only=True):
    target: Target
    duration_ms: Annotated[int, Bound(ge=1, le=60_000)] = 1_200


async def highlight(services: Services, execution: Execution, params: HighlightParams) -> Result:
    resolved_route, match = await (await services.search()).target(params.target, params.route)
    frame = match.located.element.frame
    if frame is None:
        raise ElementNotFound("The element has no place on the screen.")
    await (await services.source.get()).highlight(frame, params.duration_ms)
    return {
        "highlighted": True,
        "element": services.refs.to_wire(match.window, match.located),
        "routeResolved": resolved_route.to_wire(),
        "evidence": {"dir": execution.record.dir},
    }


HIGHLIGHT = ReadMethod("desktop.highlight", HighlightParams, highlight)


async def list_modals(services: Services, execution: Execution, params: RoutedParams) -> Result:
    desktop = await services.source.get()
    all_windows = await desktop.windows()
    windows = all_windows if params.route is None else resolve_route(all_windows, params.route).matches
    modals = [
        await _modal(desktop, services.refs, window)
        for window in windows
        if window.is_modal and await why_off_limits(desktop, window, all_windows) in (None, UNKNOWN_PAGE)
    ]
    record = execution.record
    return {
        "modals": modals,
        "count": len(modals),
        "evidence": {"dir": record.dir, "axPath": record.add("ax.json", {"modals": modals})},
    }


async def _modal(reader: Reader, refs: ElementRefs, window: Window) -> dict[str, Any]:
    buttons = await reader.find(window, Query(role="AXButton"))
    return {**window_to_wire(window), "buttons": [refs.to_wire(window, button) for button in buttons]}


LIST_MODALS = ReadMethod("desktop.listModals", RoutedParams, list_modals)


_MAX_TREE_DEPTH = 100
_NO_ELEMENTS_NOTE = "(this program exposes no elements: use the picture, keys, text and points)"


class ObserveOptions(Wire, frozen=True, kw_only=True):
    include_screenshot: bool = True
    include_ax_tree: bool = True
    ax_max_depth: Annotated[int, Bound(ge=1, le=100)] = 8
    ax_max_nodes: Annotated[int, Bound(ge=1, le=20_000)] = 2_000
    area: Literal["screen", "window", "element"] = "screen"
    outline: bool = False
    marks: bool = False
    """Number everything clickable in the picture."""
    outlined: bool = False
    """Outline the target in the picture."""


class ObserveParams(RoutedParams, frozen=True, kw_only=True):
    options: ObserveOptions = ObserveOptions()
    target: Target | None = None

    def __post_init__(self) -> None:
        if self.target is None and (self.options.area == "element" or self.options.outlined):
            raise ValueError("area element and outlined need a target.")


async def observe(services: Services, execution: Execution, params: ObserveParams) -> Result:
    options, record = params.options, execution.record
    resolved_route, match = await _subject(services, params)
    evidence: dict[str, str] = {"dir": record.dir}
    result: Result = {
        "routeResolved": NOWHERE if resolved_route is None else resolved_route.to_wire(),
        "evidence": evidence,
    }
    if match is not None:
        result["element"] = services.refs.to_wire(match.window, match.located)
    if options.include_screenshot:
        desktop = await services.source.get()
        element = match.located.element if match is not None else None
        area = _area(options.area, resolved_route.window if resolved_route is not None else None, element)
        outlined = element.frame if element is not None and options.outlined else None
        marks: list[Mark] = []
        if options.marks and resolved_route is not None:
            marks = await number_clickable_places(desktop, services.refs, resolved_route.window)
            result["marks"] = marks_to_wire(services.refs, marks)
        shot = await screenshots.take_screenshot(desktop, area, outlined=outlined, marked=marks)
        evidence["screenshotPath"] = record.add("observe.png", shot.png)
        result["area"] = {"x": shot.area.x, "y": shot.area.y, "width": shot.area.width, "height": shot.area.height}
    if options.include_ax_tree or options.outline:
        await _read_tree(services, execution, options, resolved_route, result)
    return result


async def _subject(services: Services, params: ObserveParams) -> tuple[ResolvedRoute | None, Match | None]:
    """Finds the window and target. A mere picture of the screen needs neither a window nor accessibility."""
    options, search = params.options, await services.search()
    if params.target is not None:
        return await search.target(params.target, params.route)
    try:
        return await search.resolve_route(params.route), None
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
    services: Services,
    execution: Execution,
    options: ObserveOptions,
    resolved_route: ResolvedRoute | None,
    result: Result,
) -> None:
    record, evidence = execution.record, result["evidence"]
    desktop = await services.source.get()
    if resolved_route is None:
        if options.outline:
            result["outline"] = ""
            result["windows"] = [window_to_wire(window) for window in await desktop.windows()]
        if options.include_ax_tree:
            evidence["axPath"] = record.add("ax.json", {"route": None, "windows": [], "nodeCount": 0, "root": None})
        return
    full_tree = await desktop.tree(resolved_route.window, max_depth=_MAX_TREE_DEPTH, max_nodes=options.ax_max_nodes)
    tree = limit_depth(full_tree, options.ax_max_depth)
    name = services.refs.namer(resolved_route.window)
    if options.outline:
        lines = outline(tree.root, name, is_cut=tree.is_cut)
        result["outline"] = lines if resolved_route.window.is_readable else f"{lines}\n  {_NO_ELEMENTS_NOTE}"
        result["windows"] = [window_to_wire(window) for window in resolved_route.all_windows]
    if options.include_ax_tree:
        evidence["axPath"] = record.add("ax.json", tree_to_wire(resolved_route, tree, name))
        result["nodeCount"], result["truncated"] = tree.count, tree.is_cut


def _area(area: str, window: Window | None, element: Element | None) -> Rect | None:
    if area == "screen":
        return None
    frame = element.frame if area == "element" and element is not None else window.frame if window is not None else None
    if frame is None or frame.width <= 0 or frame.height <= 0:
        raise InvalidParams(f"params.options.area: the {area} has no place on the screen.", field="params.options.area")
    return frame


OBSERVE = ReadMethod("desktop.observe", ObserveParams, observe)
