"""desktop.dismissModal: closes the modal window in front by its default button, by a button's title, or by Escape."""

from typing import Literal

from handrail.features.desktop.desktop_port import Delivery, DesktopPort, KeyCombination, LocatedElement, Query
from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.own_windows import refuse_own_window
from handrail.features.desktop.host.params import ElementRef, Name, RoutedParams, Selector, Wire
from handrail.features.desktop.host.routing import ResolvedRoute, resolve_route
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.selection import is_enabled, rank_matches
from handrail.features.desktop.host.services import Action, Services

_ROLE = "AXButton"


class Strategy(Wire, frozen=True, kw_only=True):
    type: Literal["defaultButton", "byTitle", "esc"]
    title_contains: Name | None = None

    def __post_init__(self) -> None:
        if (self.type == "byTitle") is (self.title_contains is None):
            raise ValueError("byTitle needs titleContains, and no other strategy takes it.")


class ButtonTarget(Wire, frozen=True, kw_only=True):
    element_ref: ElementRef


class DismissModalParams(RoutedParams, frozen=True, kw_only=True):
    strategy: Strategy


class ShownDismissModalParams(DismissModalParams, frozen=True, kw_only=True):
    target: ButtonTarget | None = None
    """The button that a person was shown; the strategy must still choose it."""

    def __post_init__(self) -> None:
        if self.target is not None and self.strategy.type == "esc":
            raise ValueError("esc presses a key, and has no target.")


async def _subject(services: Services, params: ShownDismissModalParams) -> Subject:
    """Returns the modal window and the button to press, or no button if a key closes it.

    StaleElement if the caller names a button and the strategy would press another one.
    """
    resolved_route, button = await _choose_button(await services.source.get(), params)
    if params.target is not None:
        expected = services.refs.resolve(params.target.element_ref)
        if button is None or button.element.handle != expected.handle or not expected.is_same(button.element):
            raise StaleElement(
                f"{expected.element_id} is not the button that this strategy presses now.",
                elementId=expected.element_id,
            )
    return Subject.of(resolved_route, located=button)


async def _dismiss(
    desktop: DesktopPort, execution: Execution, subject: Subject, params: ShownDismissModalParams
) -> Delivery:
    if subject.element is not None:
        return await desktop.press(subject.window, subject.element)
    key = "escape" if params.strategy.type == "esc" else "enter"
    await desktop.send_keys(subject.window, [KeyCombination((), key)], delay_ms=0)
    return Delivery(f"keys:{key}")


async def _choose_button(
    desktop: DesktopPort, params: ShownDismissModalParams
) -> tuple[ResolvedRoute, LocatedElement | None]:
    all_windows = await desktop.windows()
    candidates = all_windows if params.route is not None else resolve_route(all_windows, None).windows
    modals = [window for window in candidates if window.is_modal]
    if not modals:
        raise ElementNotFound("No modal window is open.")
    windows = modals if params.route is None else resolve_route(modals, params.route).require_clear().windows
    resolved_route = ResolvedRoute(windows[0], windows, all_windows)
    await refuse_own_window(desktop, resolved_route.window, all_windows, acts=True)
    strategy = params.strategy
    if strategy.type == "esc":
        return resolved_route, None
    buttons = list(await desktop.find(resolved_route.window, Query(role=_ROLE)))
    if strategy.type == "byTitle":
        matches = rank_matches(buttons, Selector(by_role=_ROLE, title_contains=strategy.title_contains))
        if not matches:
            raise ElementNotFound(
                "No button of the modal window has that title.",
                buttons=[button.element.title for button in buttons],
                route=resolved_route.to_wire(),
            )
        return resolved_route, matches[0]
    defaults = [button for button in buttons if "is-default" in button.element.states]
    enabled = [button for button in buttons if is_enabled(button.element)]
    # If no button is marked as the default one, Enter presses it.
    return resolved_route, defaults[0] if defaults else enabled[0] if len(enabled) == 1 else None


METHOD = Action(
    "desktop.dismissModal",
    ShownDismissModalParams,
    "dismissed",
    _subject,
    _dismiss,
    needs_front=lambda subject: subject.element is None,
)
