"""desktop.click and desktop.pointer: clicks, and everything else that a pointer does.

A click uses the element's own action, or the pointer if the element has none.
"""

from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Delivery, DesktopPort, Element, Gesture, Place
from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import ElementRef, PlaceTarget, Point, Route, RoutedParams, Target, Wire
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services

Steps = Annotated[int, Bound(ge=-100, le=100)]


class ClickOptions(Wire, frozen=True, kw_only=True):
    button: Literal["left", "middle", "right"] = "left"
    count: Annotated[int, Bound(ge=1, le=3)] = 1


class ClickParams(RoutedParams, frozen=True, kw_only=True):
    target: PlaceTarget
    options: ClickOptions = ClickOptions()


async def _subject(services: Services, params: "ClickParams | PointerParams") -> Subject:
    target, route = params.target, params.route
    if target.point is not None:
        search, point = await services.search(), (target.point.x, target.point.y)
        return await search.at_point(await services.source.get(), point, route)
    if target.mark is not None:
        return await _marked_subject(services, target.mark, route)
    return await services.element_subject(target.element, route)


async def _marked_subject(services: Services, number: int, route: Route | None) -> Subject:
    """Returns the element with this number, or the marked place of a picture, relative to where its window is now."""
    if (mark := services.refs.picture_mark(number)) is None:
        return await services.element_subject(Target(element_ref=ElementRef(element_id=f"e:{number}")), route)
    desktop = await services.source.get()
    frame = next((window.frame for window in await desktop.windows() if window.handle == mark.window), None)
    if frame is None or (frame.width, frame.height) != mark.size:
        raise StaleElement("The window is gone or its size has changed since the picture.", mark=number)
    x, y = mark.frame.center
    subject = await (await services.search()).at_point(desktop, (frame.x + x, frame.y + y), route)
    if subject.window.handle != mark.window:
        raise StaleElement("Another window covers the marked place.", mark=number)
    return subject


async def _click(desktop: DesktopPort, execution: Execution, subject: Subject, params: ClickParams) -> Delivery:
    place = subject.place
    if isinstance(place, Element) and params.options == ClickOptions():
        return await desktop.press(subject.window, place)
    gesture = Gesture("click", params.options.button, params.options.count)
    return await desktop.point(subject.window, place, gesture)


CLICK = Action(
    "desktop.click",
    ClickParams,
    "clicked",
    _subject,
    _click,
    needs_front=lambda subject: subject.element is None or not subject.element.actions,
)


class PointerParams(RoutedParams, frozen=True, kw_only=True):
    gesture: Literal["hover", "drag", "scroll"]
    target: PlaceTarget
    to: Point | None = None
    down: Steps = 0
    right: Steps = 0

    def __post_init__(self) -> None:
        if (self.gesture == "drag") is (self.to is None):
            raise ValueError("drag needs `to`, and no other gesture takes it.")
        if (self.gesture == "scroll") is (self.down == self.right == 0):
            raise ValueError("scroll needs `down` or `right`, and no other gesture takes them.")


async def _point(desktop: DesktopPort, execution: Execution, subject: Subject, params: PointerParams) -> Delivery:
    place = subject.place
    to = None if params.to is None else (params.to.x, params.to.y)
    if to is not None:
        await _check_drag_end(desktop, subject, to)
    return await desktop.point(
        subject.window, place, Gesture(params.gesture, to=to, down=params.down, right=params.right)
    )


async def _check_drag_end(desktop: DesktopPort, subject: Subject, to: Place) -> None:
    """A drag must end in the window that it starts in, because that is the one a person was shown."""
    window = await desktop.window_at(*to)
    if window is None or window.handle != subject.window.handle:
        raise ElementNotFound("The drag would end in another window, so nothing was sent.", hint="Look again.")


POINTER = Action("desktop.pointer", PointerParams, "done", _subject, _point)
