"""`/metrics`, if it is turned on: for programs with the server's token, and for people."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import agent_of
from handrail.features.observability.opening import GateObserver
from handrail.ports.errors import Declined
from handrail.ports.waiting import run_in_thread


def mount(context: HttpContext) -> Mount:
    observer, stores = context.project.observer, context.project.stores
    if not isinstance(observer, GateObserver) or observer.metrics is None:
        return Mount()
    from handrail.features.observability.metrics import CONTENT_TYPE

    metrics = observer.metrics

    async def show(request: Request) -> Response:
        if agent_of(request.scope) is not None:
            raise Declined("An agent's token can't read /metrics. Use the server's own.", reason="role")
        engines = {} if stores.team is None else await run_in_thread(stores.team.parts)
        return Response(
            metrics.exposition(len(await stores.prompts.pending()), engines), headers={"content-type": CONTENT_TYPE}
        )

    return Mount([Route("/metrics", show)])
