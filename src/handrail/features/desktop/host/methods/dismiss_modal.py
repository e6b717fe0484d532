"""desktop.dismissModal: closes the modal window in front: by its default button, a button's title, or Escape."""

from typing import Literal

from handrail.features.desktop.host.acting import confirmed, deed
from handrail.features.desktop.host.aiming import Aim
from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import ConfirmedParams, ElementRef, Name, Selector, Wire
from handrail.features.desktop.host.routing import Routed, resolve
from handrail.features.desktop.host.selection import is_enabled, ranked
from handrail.features.desktop.platform import Combination, Delivery, Desktop, Element, Found, Query, Window

_ROLE = "AXButton"


class Strategy(Wire, frozen=True, kw_only=True):
    type: Literal["defaultButton", "byTitle", "esc"]
    title_contains: Name | None = None

    def __post_init__(self) -> None:
        if (self.type == "byTitle") is (self.title_contains is None):
            raise ValueError("titleContains belongs to byTitle, which needs it.")


class ShownButton(Wire, frozen=True, kw_only=True):
    element_ref: ElementRef


class DismissModalParams(ConfirmedParams, frozen=True, kw_only=True):
    strategy: Strategy
    target: ShownButton | None = None
    """The button that a person was shown: the strategy must still choose it."""

    def __post_init__(self) -> None:
        if self.target is not None and self.strategy.type == "esc":
            raise ValueError("esc presses a key, and has no target.")


async def dismiss_modal(equipment: Equipment, execution: Execution, params: DismissModalParams) -> Result:
    consent = await confirmed(equipment, execution, params)
    desktop = await equipment.source.get()
    routed, button = await aimed(equipment, params)
    aim = Aim(routed.window, button, routed.everything)
    async with deed(equipment, execution, consent, aim, params.route, needs_front=button is None) as acting:
        if acting.element is not None:
            delivery = await desktop.press(acting.window, acting.element)
        else:
            key = "escape" if params.strategy.type == "esc" else "enter"
            await desktop.send_keys(acting.window, [Combination((), key)], delay_ms=0)
            delivery = Delivery(f"keys:{key}")
        outcome = await acting.outcome(delivery)
    return {"dismissed": True, **outcome, "routeResolved": routed.spelled(), "evidence": acting.evidence}


async def aimed(equipment: Equipment, params: DismissModalParams) -> tuple[Routed, Element | None]:
    """The modal window and the button to press in it; None where a key will do it.

    Where the caller says which button was shown, it is this one: StaleElement, and never another.
    """
    desktop = await equipment.source.get()
    routed, button = await _chosen(desktop, params)
    if params.target is None:
        return routed, button
    known = equipment.refs.known(params.target.element_ref)
    if button is None or button.handle != known.handle or not known.is_same(button):
        raise StaleElement(
            f"{known.element_id} is not the button that this strategy presses now.", elementId=known.element_id
        )
    return routed, button


async def _chosen(desktop: Desktop, params: DismissModalParams) -> tuple[Routed, Element | None]:
    everything = await desktop.windows()
    inside = everything if params.route is not None else resolve(everything, None).windows
    modals = [window for window in inside if window.is_modal]
    if not modals:
        raise ElementNotFound("No modal window is open.")
    meant = modals if params.route is None else resolve(modals, params.route).windows
    routed = Routed(meant[0], meant, everything)
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
