"""desktop.listModals, an extension of contract 1."""

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.modals import Modals, modal_line
from handrail.features.desktop.params import RoutedParams, on_wire
from handrail.features.desktop.results import RouteResolved, read
from handrail.features.desktop.wording import said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 15_000


class Params(RoutedParams, frozen=True, kw_only=True):
    pass


async def desktop_list_modals(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List the modal windows (dialogs that take all input of their app) and the buttons in them."""
    result = read(await desktop.execute(call, method_of(call.tool), on_wire(params), _WITHIN_MS), Modals)
    for modal in result.modals:
        await desktop.check_place(call, RouteResolved(frontmost_bundle_id=modal.app))
    lines = [line for modal in result.modals for line in modal_line(modal)]
    return Reply(result, text=said(f"{result.count} open.", "\n".join(lines)))


TOOL = desktop_tool(desktop_list_modals, Params, Modals, "List modal windows", deadline_ms=_WITHIN_MS)
