"""desktop.typeText: text into an element, or into what has the focus in the window that is meant."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.acting import confirmed, deed
from handrail.features.desktop.host.aiming import Aim
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import LONGEST_TEXT, ConfirmedParams, ElementRef, Selector, Target, Wire
from handrail.features.desktop.host.routing import Routed
from handrail.features.desktop.host.sight import Match, Sight
from handrail.features.desktop.platform import Actor, Element, Window


class TypeTarget(Wire, frozen=True, kw_only=True):
    """Here both may be given: the selector counts where the elementRef has gone stale."""

    element_ref: ElementRef | None = None
    selector: Selector | None = None


class TypeTextOptions(Wire, frozen=True, kw_only=True):
    clear_before: bool = False


class TypeTextParams(ConfirmedParams, frozen=True, kw_only=True):
    text: Annotated[str, Bound(max_length=LONGEST_TEXT)]
    target: TypeTarget | None = None
    options: TypeTextOptions = TypeTextOptions()


async def type_text(equipment: Equipment, execution: Execution, params: TypeTextParams) -> Result:
    consent = await confirmed(equipment, execution, params)
    sight, desktop = await equipment.sight(), await equipment.source.get()
    routed, match = await aimed(sight, params)
    window = match.window if match is not None else routed.window
    element = match.found.element if match is not None else None
    aim = Aim(window, element, routed.everything)
    async with deed(equipment, execution, consent, aim, params.route, needs_front=True) as acting:
        window, element = acting.window, acting.element
        await _focus(desktop, window, element)
        execution.record.note("typing", characters=len(params.text))
        delivery = await desktop.type_text(window, element, params.text, clear_before=params.options.clear_before)
        outcome = await acting.outcome(delivery)
    return {"typed": True, **outcome, "routeResolved": routed.spelled(), "evidence": acting.evidence}


async def aimed(sight: Sight, params: TypeTextParams) -> tuple[Routed, Match | None]:
    """Without a target, whatever has the focus in the window."""
    target = params.target
    if target is None or (target.element_ref is None and target.selector is None):
        return await sight.routed(params.route), None
    if target.element_ref is not None:
        try:
            return await sight.target(Target(element_ref=target.element_ref), params.route)
        except ElementNotFound:
            if target.selector is None:
                raise
    return await sight.target(Target(selector=target.selector), params.route)


async def _focus(actor: Actor, window: Window, element: Element | None) -> None:
    """Text must not end up in a neighbour: what can't be focused gets it only where it can be set directly."""
    if element is None or "focused" in element.states:
        return
    if not await actor.focus(window, element) and "editable" not in element.states:
        raise ElementNotFound("The target takes no focus and no text.", hint="Choose the text field itself.")


METHOD = Errand("desktop.typeText", TypeTextParams, type_text)
