"""desktop.abort: ends a running execution. When it answers, that execution sends nothing more."""

from handrail.features.desktop.host import executions
from handrail.features.desktop.host.params import Name, Params
from handrail.features.desktop.host.services import Inquiry, Result, Services, Visit
from handrail.kernel.deadline import Deadline
from handrail.ports.errors import InvalidParams


class AbortParams(Params, frozen=True, kw_only=True):
    execution_id: Name
    """Or the running call's requestId, or its JSON-RPC id: its caller learns the executionId only at the end."""


async def abort(services: Services, visit: Visit, params: AbortParams) -> Result:
    running = services.executions.named(params.execution_id, visit.workspace.location)
    if not running:
        raise InvalidParams(
            f"params.executionId: nothing of this name is running in this workspace: {params.execution_id!r}.",
            field="params.executionId",
        )
    async with Deadline("desktop.abort", params.meta.timeout_ms):
        await executions.abort(running)
    return {"aborted": True, "executionId": running[0].id}


METHOD = Inquiry("desktop.abort", AbortParams, abort)
