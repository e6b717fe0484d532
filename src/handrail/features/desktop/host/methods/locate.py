"""desktop.locate: what a call would act on, with a picture. It leaves no evidence: nobody has allowed it yet."""

from base64 import b64encode

from handrail.features.desktop.host.methods.actions import Intent, read_intent
from handrail.features.desktop.host.params import RoutedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Inquiry, Result, Services, Visit
from handrail.features.desktop.platform import Found
from handrail.kernel.deadline import Deadline
from handrail.ports.errors import PermissionMissing


class LocateParams(RoutedParams, frozen=True, kw_only=True):
    intent: Intent | None = None
    """Without it, the window that the route means."""
    include_screenshot: bool = False


async def locate(services: Services, visit: Visit, params: LocateParams) -> Result:
    intended = None if params.intent is None else read_intent(params.intent, params.meta)
    async with Deadline("desktop.locate", params.meta.timeout_ms):
        if intended is None:
            return {"routeResolved": (await (await services.search()).routed(params.route)).spelled()}
        subject = await intended.subject(services)
        result: Result = {"routeResolved": subject.route}
        if subject.element is not None:
            result["element"] = services.refs.spelled(subject.window, Found(subject.element, (), subject.path))
        if params.include_screenshot and (png := await _picture(services, subject)) is not None:
            result["screenshot"] = b64encode(png).decode()
        return result


async def _picture(services: Services, subject: Subject) -> bytes | None:
    """The screen, with the element outlined; None in a session that shows no picture."""
    outlined = subject.element.frame if subject.element is not None else None
    try:
        return (await (await services.source.get()).shot(outlined=outlined)).png
    except PermissionMissing:
        return None


METHOD = Inquiry("desktop.locate", LocateParams, locate)
