"""Contract 2 §2.1 and §2.2: tasks and the snapshot. Also a person's control of a task."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from handrail.faces.http.credentials import require_person
from handrail.faces.http.endpoint import Endpoint, Handler, Query
from handrail.faces.http.json_body import MAX_LIMIT, page_limit
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.tasks import Task
from handrail.features.browser.routes.bodies import GiveTask, LetRead, NewTaskId, SelectPlugin, TaskDetail
from handrail.features.browser.routes.task_access import TaskAccess
from handrail.kernel import task_ids
from handrail.ports.browser import Snapshot, TaskRecord
from handrail.ports.errors import InvalidParams

_TASK = {"type": "string", "pattern": task_ids.PATTERN}
_MAX_WORDS = 16
_MAX_QUERY = 256
_QUERY = {"type": "string", "maxLength": _MAX_QUERY}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}


def endpoints(bus: LocalBus, access: TaskAccess) -> Sequence[Endpoint]:
    async def new_id(request: Request, body: None) -> NewTaskId:
        return NewTaskId(task_id=task_ids.new_task_id())

    async def list_tasks(request: Request, body: None) -> Sequence[TaskRecord]:
        given, limit = request.query_params, page_limit(request)
        before = task_ids.validate_task_id(given["before"]) if "before" in given else None
        words, visible = _words(given.get("query", "")), list[TaskRecord]()
        while records := await bus.tasks.newest(limit, before, words):
            visible += await access.visible(request, records)
            if len(visible) >= limit or len(records) < limit:
                break
            before = records[-1].task_id
        return visible[:limit]

    async def show(request: Request, body: None) -> TaskDetail:
        task = await _find(request)
        await access.check_visible(request, task.id)
        return TaskDetail(task=task.record, messages=list(await bus.tasks.messages(task.id)))

    async def snapshot(request: Request, body: None) -> Snapshot:
        return await access.visible_windows(request, await bus.snapshot(request.query_params.get("clientId")))

    async def select(request: Request, body: SelectPlugin) -> TaskRecord:
        require_person(request, "Moving a task to another browser")
        task = await _find(request)
        await bus.takeover.move(task, body.client_id)
        return task.record

    async def take_over(request: Request, body: None) -> TaskRecord:
        await access.check(request, request.path_params["taskId"])
        task = await _find(request)
        await bus.takeover.take_over(task)
        return task.record

    async def let_read(request: Request, body: LetRead) -> TaskRecord:
        require_person(request, "Letting an agent read during a takeover")
        task = await _find(request)
        await bus.takeover.let_read(task, body.allowed)
        return task.record

    async def hand_back(request: Request, body: None) -> TaskRecord:
        require_person(request, "Handing a task back")
        task = await _find(request)
        await bus.takeover.hand_back(task)
        return task.record

    async def stop(request: Request, body: None) -> TaskRecord:
        await access.check(request, request.path_params["taskId"])
        task = await _find(request)
        await bus.takeover.stop(task)
        return task.record

    async def give(request: Request, body: GiveTask) -> TaskRecord:
        require_person(request, "Giving a task to another agent")
        task = await _find(request)
        await access.give(task.id, body.identity)
        return task.record

    async def _find(request: Request) -> Task:
        return await bus.tasks.find(request.path_params["taskId"])

    def on_task(method: str, verb: str, summary: str, run: Handler, answer: type, **more: Any) -> Endpoint:
        path = f"/api/task/{{taskId}}{verb}"
        return Endpoint(method, path, summary, run, answer, path_schema=_TASK, errors=(404, 409), **more)

    return [
        Endpoint("GET", "/api/task/id", "Creates an id for a new task.", new_id, NewTaskId),
        Endpoint(
            "GET", "/api/task/list", "Lists tasks, the last changed first.", list_tasks, list[TaskRecord],
            query=[Query("limit", _LIMIT), Query("before", _TASK), Query("query", _QUERY)],
        ),
        on_task("GET", "", "A task and its messages.", show, TaskDetail),
        on_task(
            "POST", "/plugin", "Continues a task in this browser.", select, TaskRecord, body=SelectPlugin,
            access="person",
        ),
        on_task(
            "POST", "/owner", "Gives a task to another agent.", give, TaskRecord, body=GiveTask, access="person"
        ),
        on_task("POST", "/takeover", "Pauses a task: a person takes over.", take_over, TaskRecord),
        on_task(
            "POST", "/reading", "Allows or stops reading during a takeover.", let_read, TaskRecord,
            body=LetRead, access="person",
        ),
        on_task("POST", "/handback", "Hands a task back to the agent.", hand_back, TaskRecord, access="person"),
        on_task("POST", "/stop", "Ends a task and everything that runs in it.", stop, TaskRecord),
        Endpoint(
            "GET", "/api/snapshot", "A browser's windows, tabs and groups.", snapshot, Snapshot,
            query=[Query("clientId", {"type": "string"})],
        ),
    ]  # fmt: skip


def _words(query: str) -> list[str]:
    """Splits the search text, which like `before` is an addition to the contract."""
    if len(query) > _MAX_QUERY or len(words := query.split()) > _MAX_WORDS:
        raise InvalidParams(f"`query` can't be longer than {_MAX_QUERY} characters and {_MAX_WORDS} words.")
    return words
