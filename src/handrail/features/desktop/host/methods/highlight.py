"""desktop.highlight: outlines an element on the screen itself for a while. Takes no input away."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import RoutedParams, Target
from handrail.features.desktop.host.services import Reading, Result, Services


class HighlightParams(RoutedParams, frozen=True, kw_only=True):
    target: Target
    duration_ms: Annotated[int, Bound(ge=1, le=60_000)] = 1_200


async def highlight(services: Services, execution: Execution, params: HighlightParams) -> Result:
    routed, match = await (await services.search()).target(params.target, params.route)
    frame = match.found.element.frame
    if frame is None:
        raise ElementNotFound("The element has no place on the screen.")
    await (await services.source.get()).highlight(frame, params.duration_ms)
    return {
        "highlighted": True,
        "element": services.refs.spelled(match.window, match.found),
        "routeResolved": routed.spelled(),
        "evidence": {"dir": execution.record.dir},
    }


METHOD = Reading("desktop.highlight", HighlightParams, highlight)
