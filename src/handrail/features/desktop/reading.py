"""Reading a window for an agent: that something is not there tells of the window as much as that it is."""

from typing import Any

from handrail.features.desktop.acting import locate_window
from handrail.features.desktop.declaration import method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.params import RoutedParams, on_wire
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.ports.errors import NotFound, Timeout


async def ask_of_window(desktop: Desktop, call: Call, asked: dict[str, Any], within_ms: int) -> dict[str, Any]:
    """The host's answer; where nothing was found, the policy decides about the app before that is told."""
    try:
        return await desktop.execute(call, method_of(call.tool), asked, within_ms)
    except (NotFound, Timeout) as missed:
        if not missed.details.get("stale"):  # a reference says nothing of the window that the route leads to
            place = await _place(desktop, call, asked)
            if place.app is not None:
                await call.check(place)
        raise


async def locate(desktop: Desktop, call: Call, params: RoutedParams) -> Target:
    """The app, before it is waited for."""
    return await _place(desktop, call, on_wire(params))


async def _place(desktop: Desktop, call: Call, asked: dict[str, Any]) -> Target:
    try:
        return await locate_window(desktop, call, asked)
    except (NotFound, Timeout):
        return Target()
