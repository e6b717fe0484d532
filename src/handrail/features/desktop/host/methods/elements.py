"""desktop.find, highlight and listModals: elements that are looked at. Nothing is touched."""

from typing import Annotated, Any

from msgspec import Meta as Bound

from handrail.features.desktop.host.axtree import spelled_matches, spelled_window
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import RoutedParams, Selector, Target
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import resolve
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.features.desktop.platform import Query, Reader, Window


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
    windows = await desktop.windows()
    if params.route is not None:
        windows = resolve(windows, params.route).windows
    modals = [await _modal(desktop, services.refs, window) for window in windows if window.is_modal]
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
