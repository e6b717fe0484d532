"""desktop.typeText: text into an element, or into what has the focus in the window that is meant."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import LONGEST_TEXT, ConfirmedParams, ElementRef, Selector, Target, Wire
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.subject import Subject
from handrail.features.desktop.platform import Delivery, Desktop


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


async def _subject(services: Services, params: TypeTextParams) -> Subject:
    """Without a target, whatever has the focus in the window."""
    search, target = await services.search(), params.target or TypeTarget()
    if target.element_ref is not None:
        try:
            routed, match = await search.target(Target(element_ref=target.element_ref), params.route)
            return Subject.of(routed, match.window, match.found)
        except ElementNotFound:
            if target.selector is None:
                raise
    if target.selector is None:
        return Subject.of(await search.routed(params.route))
    routed, match = await search.target(Target(selector=target.selector), params.route)
    return Subject.of(routed, match.window, match.found)


async def _type(desktop: Desktop, execution: Execution, subject: Subject, params: TypeTextParams) -> Delivery:
    await _focus(desktop, subject)
    execution.record.note("typing", characters=len(params.text))
    clear = params.options.clear_before
    return await desktop.type_text(subject.window, subject.element, params.text, clear_before=clear)


async def _focus(desktop: Desktop, subject: Subject) -> None:
    """Text must not end up in a neighbour: what can't be focused gets it only where it can be set directly."""
    element = subject.element
    if element is None or "focused" in element.states:
        return
    if not await desktop.focus(subject.window, element) and "editable" not in element.states:
        raise ElementNotFound("The target takes no focus and no text.", hint="Choose the text field itself.")


METHOD = Action("desktop.typeText", TypeTextParams, "typed", _subject, _type)
