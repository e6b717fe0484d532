"""desktop.dismissModal, an extension of contract 1."""

from typing import Any, Literal

from handrail.features.desktop.acting import act_and_tell, locating, pinned, previewing
from handrail.features.desktop.declaration import desktop_tool
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.methods.dismiss_modal import Strategy
from handrail.features.desktop.modals import Modal, Modals
from handrail.features.desktop.params import RoutedParams, on_wire
from handrail.features.desktop.results import Acted, RouteResolved, read
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply
from handrail.ports.effect import Effect

_WITHIN_MS = 30_000
_ENABLED = frozenset({"enabled", "sensitive"})


class Params(RoutedParams, frozen=True, kw_only=True):
    strategy: Strategy


class Result(Acted, frozen=True, kw_only=True):
    dismissed: Literal[True]


async def desktop_dismiss_modal(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Close the modal window in front: by its default button, by the button whose title contains a text
    (`byTitle` with `titleContains`), or by Escape (`esc`). desktop_list_modals shows the windows and buttons.
    """
    return await act_and_tell(desktop, call, preview, Result, "Dismissed.", _WITHIN_MS)


async def _aim(desktop: Desktop, call: Call, params: Params) -> tuple[dict[str, Any], dict[str, Any]]:
    """The modal window that is in front now, and the button that would be pressed; none where a key would do it."""
    given = on_wire(params)
    routed = {name: given[name] for name in ("route",) if name in given}
    found = read(await desktop.ask(call, "desktop.listModals", routed, _WITHIN_MS), Modals)
    if not found.modals:
        raise ElementNotFound("No modal window is open.")
    modal = found.modals[0]
    place = RouteResolved(frontmost_bundle_id=modal.app, window_title=modal.title, pid=modal.pid)
    route = pinned(given.get("route", {}), place)
    target = _button(modal, params.strategy)
    return {**given, "route": route}, {"route": route, **({"target": target} if target is not None else {})}


def _button(modal: Modal, strategy: Strategy) -> dict[str, Any] | None:
    if strategy.type == "byTitle":
        return {"selector": {"byRole": "AXButton", "titleContains": strategy.title_contains}}
    if strategy.type == "esc":
        return None
    marked = [button for button in modal.buttons if "is-default" in (button.states or ())]
    enabled = [button for button in modal.buttons if _ENABLED.intersection(button.states or ())]
    chosen = marked[:1] or (enabled if len(enabled) == 1 else [])
    return {"elementRef": {"elementId": chosen[0].element_id}} if chosen else None


def _summary(params: Params, target: str) -> str:
    strategy = params.strategy
    if strategy.type == "esc":
        return f"Press Escape in {target}"
    if strategy.type == "defaultButton":
        return f"Dismiss by the default button: {target}"
    return f"Dismiss by the button with {quoted(strategy.title_contains or '')}: {target}"


TOOL = desktop_tool(
    desktop_dismiss_modal,
    Params,
    Result,
    "Dismiss a modal window",
    effect=Effect.UI_CONTROL,
    deadline_ms=_WITHIN_MS,
    preview=previewing(_summary, _aim),
    locate=locating(_aim),
)
