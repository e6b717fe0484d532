"""desktop.pointer: what a pointer does beside clicking: it hovers, drags and turns its wheel."""

from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.methods.actions import pointed
from handrail.features.desktop.host.params import ConfirmedParams, PlaceTarget, Point
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.platform import Delivery, Desktop, Gesture, Place

Steps = Annotated[int, Bound(ge=-100, le=100)]


class PointerParams(ConfirmedParams, frozen=True, kw_only=True):
    gesture: Literal["hover", "drag", "scroll"]
    target: PlaceTarget
    to: Point | None = None
    down: Steps = 0
    right: Steps = 0

    def __post_init__(self) -> None:
        if (self.gesture == "drag") is (self.to is None):
            raise ValueError("to belongs to drag, which needs it.")
        if (self.gesture == "scroll") is (self.down == self.right == 0):
            raise ValueError("down and right belong to scroll, which needs one of them.")


async def _subject(services: Services, params: PointerParams) -> Subject:
    return await pointed(services, params.target, params.route)


async def _point(desktop: Desktop, execution: Execution, subject: Subject, params: PointerParams) -> Delivery:
    place = subject.element if subject.point is None else subject.point
    assert place is not None
    to = None if params.to is None else (params.to.x, params.to.y)
    if to is not None:
        await _check_end(desktop, subject, to)
    return await desktop.point(
        subject.window, place, Gesture(params.gesture, to=to, down=params.down, right=params.right)
    )


async def _check_end(desktop: Desktop, subject: Subject, to: Place) -> None:
    """A drag ends in the window that a person saw it begin in."""
    there = await desktop.window_at(*to)
    if there is None or there.handle != subject.window.handle:
        raise ElementNotFound("The drag would end in another window, so nothing was sent.", hint="Look again.")


METHOD = Action("desktop.pointer", PointerParams, "done", _subject, _point)
