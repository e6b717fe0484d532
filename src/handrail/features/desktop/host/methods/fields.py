"""desktop.typeText and desktop.setValue: put a text or a value into an element."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Delivery, DesktopPort
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import LONGEST_TEXT, ElementRef, RoutedParams, Selector, Target, Wire
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.surroundings import PASSWORD_ROLE
from handrail.ports.errors import NotFound

Text = Annotated[str, Bound(max_length=LONGEST_TEXT)]


class TypeTarget(Wire, frozen=True, kw_only=True):
    """May have both members: the selector is used if the elementRef is stale."""

    element_ref: ElementRef | None = None
    selector: Selector | None = None


class TypeTextOptions(Wire, frozen=True, kw_only=True):
    clear_before: bool = False


class TypeTextParams(RoutedParams, frozen=True, kw_only=True):
    text: Annotated[str, Bound(max_length=LONGEST_TEXT)]
    target: TypeTarget | None = None
    options: TypeTextOptions = TypeTextOptions()


async def _field(services: Services, params: TypeTextParams) -> Subject:
    """Returns the target; without one the window, whose focused field gets the text."""
    target = params.target or TypeTarget()
    if target.element_ref is not None:
        try:
            return await services.element_subject(Target(element_ref=target.element_ref), params.route)
        except ElementNotFound:
            if target.selector is None:
                raise
    if target.selector is None:
        return await services.window_subject(params)
    return await services.element_subject(Target(selector=target.selector), params.route)


async def _type(desktop: DesktopPort, execution: Execution, subject: Subject, params: TypeTextParams) -> Delivery:
    await _focus(desktop, subject)
    is_secret = subject.element is not None and subject.element.role == PASSWORD_ROLE
    execution.record.note("typing", **({} if is_secret else {"characters": len(params.text)}))
    clear = params.options.clear_before
    return await desktop.type_text(subject.window, subject.element, params.text, clear_before=clear)


async def _focus(desktop: DesktopPort, subject: Subject) -> None:
    """Focuses the element. One that can't be focused must be editable, or the text would go to another field."""
    element = subject.element
    if element is None or "focused" in element.states:
        return
    if not await desktop.focus(subject.window, element) and "editable" not in element.states:
        raise ElementNotFound("The target can't be focused or edited.", hint="Choose the text field itself.")


TYPE_TEXT = Action("desktop.typeText", TypeTextParams, "typed", _field, _type)


class SetValueParams(RoutedParams, frozen=True, kw_only=True):
    target: Target
    value: bool | float | Text


async def _element(services: Services, params: SetValueParams) -> Subject:
    return await services.element_subject(params.target, params.route)


async def _set(desktop: DesktopPort, execution: Execution, subject: Subject, params: SetValueParams) -> Delivery:
    assert subject.element is not None
    try:
        return await desktop.set_value(subject.window, subject.element, params.value)
    except NotFound as error:
        raise ElementNotFound(error.message, hint=error.hint) from None


SET_VALUE = Action("desktop.setValue", SetValueParams, "done", _element, _set)
