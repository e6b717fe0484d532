"""desktop.listModals: the modal windows that are open, and the buttons in them."""

from typing import Any

from handrail.features.desktop.host.axtree import spelled_window
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import RoutedParams
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.routing import resolve
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.features.desktop.platform import Query, Reader, Window


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


METHOD = Reading("desktop.listModals", RoutedParams, list_modals)
