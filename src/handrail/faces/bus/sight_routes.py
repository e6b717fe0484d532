"""`/api/browser/view`: what a task looked like last, for people to see."""

from collections.abc import Sequence

from starlette.requests import Request

from handrail.contract.browser import Sight
from handrail.core.mimo import task_ids
from handrail.core.mimo.bus import LocalBus
from handrail.faces.bus.endpoint import Endpoint, Query


def endpoints(bus: LocalBus) -> Sequence[Endpoint]:
    async def view(request: Request, body: None) -> Sight:
        return await bus.sight(request.query_params.get("taskId", ""))

    task = Query("taskId", {"type": "string", "pattern": task_ids.PATTERN}, is_required=True)
    summary = "A task's last picture, and what was indexed on it."
    return [Endpoint("GET", "/api/browser/view", summary, view, Sight, query=[task], errors=(404,))]
