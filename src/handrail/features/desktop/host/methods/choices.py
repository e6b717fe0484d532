"""desktop.setValue and desktop.menu: a value for an element, and a choice from a menu bar."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import LONGEST_TEXT, ConfirmedParams, Name, Target
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.platform import Delivery, Desktop
from handrail.ports.errors import NotFound

Text = Annotated[str, Bound(max_length=LONGEST_TEXT)]
Titles = Annotated[list[Name], Bound(min_length=1, max_length=10)]


class SetValueParams(ConfirmedParams, frozen=True, kw_only=True):
    target: Target
    value: bool | float | Text


async def _element(services: Services, params: SetValueParams) -> Subject:
    routed, match = await (await services.search()).target(params.target, params.route)
    return Subject.of(routed, match.window, match.found)


async def _set(desktop: Desktop, execution: Execution, subject: Subject, params: SetValueParams) -> Delivery:
    assert subject.element is not None
    try:
        return await desktop.set_value(subject.window, subject.element, params.value)
    except NotFound as missing:
        raise ElementNotFound(missing.message, hint=missing.hint) from None


SET_VALUE = Action("desktop.setValue", SetValueParams, "done", _element, _set)


class MenuParams(ConfirmedParams, frozen=True, kw_only=True):
    path: Titles


async def _window(services: Services, params: MenuParams) -> Subject:
    return Subject.of(await (await services.search()).routed(params.route))


async def _choose(desktop: Desktop, execution: Execution, subject: Subject, params: MenuParams) -> Delivery:
    try:
        return await desktop.choose(subject.window, params.path)
    except NotFound as missing:
        raise ElementNotFound(missing.message, hint=missing.hint) from None


MENU = Action("desktop.menu", MenuParams, "done", _window, _choose)
