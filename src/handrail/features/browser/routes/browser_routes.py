"""`/api/browser`: a task's last view, and the bus for handrail's other processes, which have their own gate.

The bus needs more than the API token, which agents may have and could use to act without approval: either the console's
key, which is only in the state directory, or a person at the console.
"""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from starlette.requests import Request

from handrail.faces.http.answers import failed
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import caller as caller_of
from handrail.faces.http.credentials import require_person_or_key
from handrail.faces.http.endpoint import Endpoint, Query, or_none, run_while_connected
from handrail.faces.http.headers import trace_id
from handrail.features.browser.bus import catalogue
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.dialect import DIALECT
from handrail.features.browser.routes.bodies import Act, Acted, OwnTask
from handrail.features.browser.routes.task_access import TaskAccess
from handrail.kernel import task_ids
from handrail.ports.browser import ActionResult, OpenTabs, TaskRecord, TaskView
from handrail.ports.browser_errors import pack_failure
from handrail.ports.errors import Failure

_ACTION = "Acting in the browser without handrail's tools"
_HINT = "Call POST /api/tools/browser_… instead, which checks actions and asks for approval."


def endpoints(bus: LocalBus, key: ConsoleKey, person: str, access: TaskAccess) -> Sequence[Endpoint]:
    async def act(request: Request, body: Act) -> object:
        require_person_or_key(request, key, _ACTION, _HINT)
        caller = or_none(body.caller) or caller_of(request, person).identity
        try:
            task = await bus.task_for(caller, or_none(body.task_id))
            running = bus.act(
                task.task_id,
                body.actions,
                timeout_ms=or_none(body.timeout_ms),
                trace_id=trace_id(request.scope),
                action_id=or_none(body.action_id),
                denied=or_none(body.denied) or (),
                origin=or_none(body.origin),
            )
            done = await run_while_connected(request.receive, running)
        except Failure as failure:
            return failed(failure, DIALECT, exact=pack_failure(failure))
        return Acted(
            status=done.status,
            result=done.result,
            warnings=done.warnings,
            task_id=task.task_id,
            page_url=await _page_url(bus, task.task_id, body, done),
        )

    async def own_task(request: Request, body: OwnTask) -> TaskRecord:
        require_person_or_key(request, key, _ACTION, _HINT)
        return await bus.task_for(body.caller, or_none(body.task_id))

    async def open_tabs(request: Request, body: OwnTask) -> OpenTabs:
        require_person_or_key(request, key, _ACTION, _HINT)
        return await bus.open_tabs(body.caller, or_none(body.task_id))

    async def view(request: Request, body: None) -> TaskView:
        task_id = request.query_params.get("taskId", "")
        await access.check_visible(request, task_id)
        return await bus.view(task_id)

    task = Query("taskId", {"type": "string", "pattern": task_ids.PATTERN}, is_required=True)
    viewing = Endpoint(
        "GET", "/api/browser/view", "A task's last picture with the indexed elements.", view, TaskView,
        query=[task], errors=(404,),
    )  # fmt: skip
    if bus.shared is not None:  # a team's server has no other processes that need the bus
        return [viewing]
    return [
        viewing,
        Endpoint(
            "POST", "/api/browser/act", "Runs actions and waits until they have ended.", act, Acted, Act,
            errors=(404, 409, 429),
        ),
        Endpoint("POST", "/api/browser/task", "A caller's task.", own_task, TaskRecord, OwnTask),
        Endpoint(
            "POST", "/api/browser/tabs", "A caller's task, and its browser's open tabs.", open_tabs, OpenTabs, OwnTask
        ),
    ]  # fmt: skip


async def _page_url(bus: LocalBus, task_id: str, body: Act, done: ActionResult) -> str | UnsetType:
    if isinstance(url := done.result.get("pageUrl"), str):
        return url
    tabs = catalogue.tabs_of(body.actions)
    client = UNSET if len(tabs) != 1 else (await bus.task_for("", task_id)).selected_client_id
    if client is UNSET:
        return UNSET
    tab = next((tab for tab in (await bus.snapshot(client)).tabs if tab.tab_id in tabs), None)
    return UNSET if tab is None else tab.url or UNSET
