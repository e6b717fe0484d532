"""`/api/browser/view`: what a task looked like last, for people to see."""

from collections.abc import Sequence

from starlette.requests import Request

from handrail.features.browser.bus import task_ids
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.routes.endpoint import Endpoint, Query
from handrail.ports.browser import Sight


def endpoints(bus: LocalBus) -> Sequence[Endpoint]:
    async def view(request: Request, body: None) -> Sight:
        return await bus.sight(request.query_params.get("taskId", ""))

    task = Query("taskId", {"type": "string", "pattern": task_ids.PATTERN}, is_required=True)
    summary = "A task's last picture, and what was indexed on it."
    return [Endpoint("GET", "/api/browser/view", summary, view, Sight, query=[task], errors=(404,))]
