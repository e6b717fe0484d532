"""desktop.dismissModal: closes the modal window in front: by its default button, a button's title, or Escape."""

from typing import Literal

from handrail.contract.desktop import Combination, Delivery, Desktop, Element, Found, Query, Window
from handrail.core.desktop.acting import bring_forward, confirmed, deed, unreachable
from handrail.core.desktop.conditions import ElementNotFound
from handrail.core.desktop.equipment import Equipment, Errand, Result
from handrail.core.desktop.executions import Execution
from handrail.core.desktop.params import ConfirmedParams, Name, Selector, Wire
from handrail.core.desktop.routing import Routed, resolve
from handrail.core.desktop.selection import is_enabled, ranked

_ROLE = "AXButton"


class Strategy(Wire, frozen=True, kw_only=True):
    type: Literal["defaultButton", "byTitle", "esc"]
    title_contains: Name | None = None

    def __post_init__(self) -> None:
        if (self.type == "byTitle") is (self.title_contains is None):
            raise ValueError("titleContains belongs to byTitle, which needs it.")


class DismissModalParams(ConfirmedParams, frozen=True, kw_only=True):
    strategy: Strategy


async def dismiss_modal(equipment: Equipment, execution: Execution, params: DismissModalParams) -> Result:
    consent = await confirmed(equipment, execution, params)
    desktop = await equipment.source.get()
    routed, button = await aimed(desktop, params)
    window = routed.window
    if button is not None:
        consent.check(button)
    async with deed(equipment, execution, window, button) as acting:
        if not await bring_forward(desktop, window, params.route, is_needed=button is None) and button is None:
            raise unreachable(window)
        if button is not None:
            delivery = await desktop.press(window, button)
        else:
            key = "escape" if params.strategy.type == "esc" else "enter"
            await desktop.send_keys([Combination((), key)], delay_ms=0)
            delivery = Delivery(f"keys:{key}")
        outcome = await acting.outcome(delivery)
    return {"dismissed": True, **outcome, "routeResolved": routed.spelled(), "evidence": acting.evidence}


async def aimed(desktop: Desktop, params: DismissModalParams) -> tuple[Routed, Element | None]:
    """The modal window and the button to press in it; None where a key will do it."""
    everything = await desktop.windows()
    inside = everything if params.route is not None else resolve(everything, None).windows
    modals = [window for window in inside if window.is_modal]
    if not modals:
        raise ElementNotFound("No modal window is open.")
    routed = resolve(modals, params.route) if params.route is not None else Routed(modals[0], modals, everything)
    strategy = params.strategy
    if strategy.type == "esc":
        return routed, None
    buttons = await _buttons(desktop, routed.window)
    if strategy.type == "byTitle":
        fitting = ranked(buttons, Selector(by_role=_ROLE, title_contains=strategy.title_contains))
        if not fitting:
            raise ElementNotFound(
                "No button of the modal window has such a title.", buttons=[found.element.title for found in buttons]
            )
        return routed, fitting[0].element
    marked = [found.element for found in buttons if "is-default" in found.element.states]
    enabled = [found.element for found in buttons if is_enabled(found.element)]
    # Where no button says that it is the default one, Enter presses whichever is.
    return routed, marked[0] if marked else enabled[0] if len(enabled) == 1 else None


async def _buttons(desktop: Desktop, window: Window) -> list[Found]:
    return list(await desktop.find(window, Query(role=_ROLE)))


METHOD = Errand("desktop.dismissModal", DismissModalParams, dismiss_modal)
