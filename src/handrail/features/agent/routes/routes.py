"""`/api/agent`: tasks with their runs, models and keys. Also reads the agent's additions to `user_message`."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.requests import Request

from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import require_person_or_key
from handrail.faces.http.endpoint import Endpoint, Query, or_none
from handrail.faces.http.json_body import MAX_LIMIT, page_before, page_limit
from handrail.faces.socketio.messages import trace_of
from handrail.features.agent.models.catalog import Effort, ModelCatalog, ModelOverview
from handrail.features.agent.routes.events import NUMBERS_PER_TURN, AgentEvents, Entry
from handrail.features.agent.runs import Runs
from handrail.features.agent.user_message import Artifacts, UserMessage, with_attachments
from handrail.kernel import task_ids
from handrail.ports.agent import AgentTasks, Run, RunOptions
from handrail.ports.browser import TaskRecord, Wire
from handrail.ports.errors import InvalidParams
from handrail.ports.model import UserTurn
from handrail.ports.secrets import Secret

T = TypeVar("T")
MostSteps = Annotated[int, Meta(ge=1, le=10_000)]
MostCost = Annotated[float, Meta(ge=0, le=1_000_000)]


class _MessageOptions(Wire, frozen=True, kw_only=True):
    """Additions to contract 2's `user_message`. Null means the same as a missing member."""

    mode: Literal["plan", "act"] | None = None
    model: Annotated[str, Meta(max_length=256)] | None = None
    most_steps: MostSteps | None = None
    most_cost: MostCost | None = None


class AgentMessages:
    def __init__(self, runs: Runs, events: AgentEvents, artifacts: Artifacts) -> None:
        self._runs = runs
        self._artifacts = artifacts
        self.page_followed = events.page_followed

    async def receive(self, task_id: str, turn: UserTurn, message: dict[str, Any], speaker: str) -> None:
        """A Failure refuses the message. Later errors are sent to the pages that follow the task."""
        choice = _read_choice(message)
        turn = await with_attachments(turn, self._artifacts, message.get("attachments"))
        await self._runs.send_message(task_id, UserMessage(turn, speaker, choice, trace_of(message)))


def _read_choice(message: dict[str, Any]) -> RunOptions:
    """Raises InvalidParams, which names the invalid member."""
    try:
        options = msgspec.convert(message, _MessageOptions)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"{error}.") from None
    return RunOptions(
        mode=_or_unset(options.mode),
        model=_or_unset(options.model or None),
        most_steps=_or_unset(options.most_steps),
        most_cost=_or_unset(options.most_cost),
    )


def _or_unset(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value


_ACTION = "Controlling the agent"
_HINT = "Do it in the console (`handrail open`) or on the command line."
_TASK = {"type": "string", "pattern": task_ids.PATTERN}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}


class AgentTask(Wire, frozen=True, kw_only=True):
    """`next` is the value of `before` for the next page."""

    task: TaskRecord
    run: dict[str, Any] | None
    entries: list[Entry]
    next: int | UnsetType = UNSET


class ChangedTask(Wire, frozen=True, kw_only=True):
    title: Annotated[str, Meta(min_length=1, max_length=1024)] | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    mode: Literal["plan", "act"] | UnsetType = UNSET
    model: Annotated[str, Meta(max_length=256)] | UnsetType = UNSET
    most_steps: MostSteps | UnsetType | None = UNSET
    """None, also for the cost: back to the settings' limit."""
    most_cost: MostCost | UnsetType | None = UNSET


class ChosenModel(Wire, frozen=True, kw_only=True):
    model: Annotated[str, Meta(min_length=1, max_length=256)]
    base_url: Annotated[str, Meta(max_length=1024)] | UnsetType = UNSET


class ChosenEffort(Wire, frozen=True, kw_only=True):
    effort: Effort


class GivenKey(Wire, frozen=True, kw_only=True):
    provider: Annotated[str, Meta(min_length=1, max_length=64)]
    key: Annotated[str, Meta(min_length=1, max_length=4096)]


class Forgotten(Wire, frozen=True, kw_only=True):
    forgotten: int


def endpoints(
    tasks: AgentTasks, runs: Runs, models: ModelCatalog, events: AgentEvents, key: ConsoleKey
) -> Sequence[Endpoint]:
    def check(request: Request) -> None:
        require_person_or_key(request, key, _ACTION, _HINT)

    async def run_status(task_id: str) -> dict[str, Any] | None:
        run = await runs.find(task_id)
        return None if run is None else events.status(run)

    async def show(request: Request, body: None) -> AgentTask:
        check(request)
        task, before, limit = await tasks.find(_id(request)), page_before(request), page_limit(request)
        page = await runs.page(task.id, None if before is None else -(-before // NUMBERS_PER_TURN), limit)
        more = page[0].number * NUMBERS_PER_TURN if len(page) >= limit else UNSET
        return AgentTask(task=task.record, run=await run_status(task.id), entries=events.entries(page), next=more)

    async def change(request: Request, body: ChangedTask) -> AgentTask:
        check(request)
        task = await tasks.find(_id(request))
        choice = RunOptions(mode=body.mode, model=body.model, most_steps=body.most_steps, most_cost=body.most_cost)
        if choice != RunOptions():
            await runs.change(task.id, choice)
        if body.title is not UNSET:
            task.rename(body.title)
        if body.archived is not UNSET:
            task.archive(body.archived)
        await tasks.save(task)
        events.mark_task_changed(task.id)
        return AgentTask(task=task.record, run=await run_status(task.id), entries=[])

    def steering(verb: str, summary: str, steer: Callable[[str], Awaitable[Run]]) -> Endpoint:
        async def run(request: Request, body: None) -> dict[str, Any]:
            check(request)
            return events.status(await steer((await tasks.find(_id(request))).id))

        return on_task("POST", f"/{verb}", summary, run, dict[str, Any])

    async def overview(request: Request, body: None) -> ModelOverview:
        check(request)
        return await models.overview()

    async def use(request: Request, body: ChosenModel) -> ModelOverview:
        check(request)
        await models.use(body.model, or_none(body.base_url))
        return await models.overview()

    async def set_effort(request: Request, body: ChosenEffort) -> ModelOverview:
        check(request)
        await models.set_effort(body.effort)
        return await models.overview()

    async def keep_key(request: Request, body: GivenKey) -> ModelOverview:
        check(request)
        await models.keep_key(body.provider, Secret(body.key))
        return await models.overview()

    async def forget_keys(request: Request, body: None) -> Forgotten:
        check(request)
        return Forgotten(forgotten=await models.forget_keys())

    def on_task(method: str, verb: str, summary: str, run: Any, answer: Any, **more: Any) -> Endpoint:
        path = f"/api/agent/task/{{taskId}}{verb}"
        return Endpoint(method, path, summary, run, answer, path_schema=_TASK, errors=(404, 409), **more)

    return [
        on_task(
            "GET", "", "A task's conversation, newest last.", show, AgentTask,
            query=[Query("before", {"type": "integer", "minimum": 0}), Query("limit", _LIMIT)],
        ),
        on_task(
            "POST", "", "Renames or archives a task, or sets its mode, model or limits.", change, AgentTask,
            body=ChangedTask,
        ),
        steering("stop", "Stops the agent.", runs.stop),
        steering("pause", "Pauses the agent after its current step.", runs.pause),
        steering("resume", "Resumes the agent.", runs.resume),
        Endpoint("GET", "/api/agent/models", "Lists models and the one in use.", overview, ModelOverview),
        Endpoint(
            "POST", "/api/agent/model", "Chooses the model.", use, ModelOverview, body=ChosenModel
        ),
        Endpoint(
            "POST", "/api/agent/effort", "Sets how much models think.", set_effort, ModelOverview, body=ChosenEffort
        ),
        Endpoint(
            "POST", "/api/agent/keys", "Stores a provider's key.", keep_key, ModelOverview, body=GivenKey,
        ),
        Endpoint("DELETE", "/api/agent/keys", "Deletes all keys of models.", forget_keys, Forgotten),
    ]  # fmt: skip


def _id(request: Request) -> str:
    return str(request.path_params["taskId"])
