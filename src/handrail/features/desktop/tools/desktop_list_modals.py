"""desktop.listModals, an extension of contract 1."""

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.messages import Executed, Ref, RoutedParams, RouteResolved, Said, on_wire, read
from handrail.features.desktop.wording import ref_line, said
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 15_000


class Modal(Said, frozen=True, kw_only=True):
    title: str
    app: str
    pid: int | UnsetType = UNSET
    is_front: bool = False
    buttons: list[Ref]


class Modals(Executed, frozen=True, kw_only=True):
    modals: list[Modal]
    count: int


class Params(RoutedParams, frozen=True, kw_only=True):
    pass


async def desktop_list_modals(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List the modal windows (dialogs that take all input of their app) and the buttons in them."""
    result = read(await desktop.execute(call, method_of(call.tool), on_wire(params), _WITHIN_MS), Modals)
    for modal in result.modals:
        await desktop.check_place(call, RouteResolved(frontmost_bundle_id=modal.app))
    lines = [line for modal in result.modals for line in _modal_lines(modal)]
    return Reply(result, text=said(f"{result.count} open.", "\n".join(lines)))


def _modal_lines(modal: Modal) -> Iterator[str]:
    yield f"window {quoted(modal.title)} of {quoted(modal.app)}"
    yield from (f"  {ref_line(button)}" for button in modal.buttons)


TOOL = desktop_tool(desktop_list_modals, Params, Modals, "List modal windows", deadline_ms=_WITHIN_MS)
