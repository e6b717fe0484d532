"""desktop.click: an element's own action, or a pointer click where it has none. Of several that fit, the best."""

from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import ConfirmedParams, Target
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.subject import Subject
from handrail.features.desktop.platform import Delivery, Desktop


class ClickParams(ConfirmedParams, frozen=True, kw_only=True):
    target: Target


async def _subject(services: Services, params: ClickParams) -> Subject:
    routed, match = await (await services.search()).target(params.target, params.route)
    return Subject.of(routed, match.window, match.found)


async def _click(desktop: Desktop, execution: Execution, subject: Subject, params: ClickParams) -> Delivery:
    assert subject.element is not None
    return await desktop.press(subject.window, subject.element)


METHOD = Action(
    "desktop.click",
    ClickParams,
    "clicked",
    _subject,
    _click,
    needs_front=lambda subject: subject.element is not None and not subject.element.actions,
)
