"""desktop.dismissModal: closes the modal window in front: by its default button, a button's title, or Escape."""

from typing import Literal

from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.own_windows import refuse_own
from handrail.features.desktop.host.params import ConfirmedParams, ElementRef, Name, Selector, Wire
from handrail.features.desktop.host.routing import Routed, resolve
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.selection import is_enabled, ranked
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.platform import Combination, Delivery, Desktop, Found, Query

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


async def _subject(services: Services, params: DismissModalParams) -> Subject:
    """The modal window and the button to press in it; no button if a key is pressed.

    StaleElement if the caller names a button and the strategy would press another one.
    """
    routed, button = await _chosen(await services.source.get(), params)
    if params.target is not None:
        known = services.refs.known(params.target.element_ref)
        if button is None or button.element.handle != known.handle or not known.is_same(button.element):
            raise StaleElement(
                f"{known.element_id} is not the button that this strategy presses now.", elementId=known.element_id
            )
    return Subject.of(routed, found=button)


async def _dismiss(desktop: Desktop, execution: Execution, subject: Subject, params: DismissModalParams) -> Delivery:
    if subject.element is not None:
        return await desktop.press(subject.window, subject.element)
    key = "escape" if params.strategy.type == "esc" else "enter"
    await desktop.send_keys(subject.window, [Combination((), key)], delay_ms=0)
    return Delivery(f"keys:{key}")


async def _chosen(desktop: Desktop, params: DismissModalParams) -> tuple[Routed, Found | None]:
    everything = await desktop.windows()
    inside = everything if params.route is not None else resolve(everything, None).windows
    modals = [window for window in inside if window.is_modal]
    if not modals:
        raise ElementNotFound("No modal window is open.")
    meant = modals if params.route is None else resolve(modals, params.route).windows
    routed = Routed(meant[0], meant, everything)
    await refuse_own(desktop, routed.window, everything, acts=True)
    strategy = params.strategy
    if strategy.type == "esc":
        return routed, None
    buttons = list(await desktop.find(routed.window, Query(role=_ROLE)))
    if strategy.type == "byTitle":
        fitting = ranked(buttons, Selector(by_role=_ROLE, title_contains=strategy.title_contains))
        if not fitting:
            raise ElementNotFound(
                "No button of the modal window has such a title.",
                buttons=[found.element.title for found in buttons],
                route=routed.spelled(),
            )
        return routed, fitting[0]
    marked = [found for found in buttons if "is-default" in found.element.states]
    enabled = [found for found in buttons if is_enabled(found.element)]
    # Where no button says that it is the default one, Enter presses whichever is.
    return routed, marked[0] if marked else enabled[0] if len(enabled) == 1 else None


METHOD = Action(
    "desktop.dismissModal",
    DismissModalParams,
    "dismissed",
    _subject,
    _dismiss,
    needs_front=lambda subject: subject.element is None,
)
