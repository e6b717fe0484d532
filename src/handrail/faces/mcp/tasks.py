"""Answers long calls with tasks (extension `io.modelcontextprotocol/tasks` of protocol 2026-07-28).

A call that asks a person or takes long is answered with a task. The client polls it (`tasks/get`), answers its
questions (`tasks/update`) or cancels it (`tasks/cancel`), so it needn't keep a request open for an hour.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from handrail.faces.mcp.open_call import CallParams, OpenCall
from handrail.faces.mcp.protocol import (
    COMPLETE,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    STATELESS_VERSIONS,
    TASKS_EXTENSION,
    Method,
    Request,
    RpcError,
)
from handrail.kernel.unexpected_error import unexpected_error

_SOON_SECONDS = 5.0
"""A call that ends sooner and asks no one is answered with its result."""
_TTL_SECONDS = 24 * 3600.0
_POLL_MS = 1000
_MOST_FINISHED = 100
"""How many finished tasks of a client are kept with their results, which may contain pictures."""

OwnerOf = Callable[[Request], str]


class TaskParams(msgspec.Struct, frozen=True, rename="camel"):
    task_id: str


class UpdateParams(TaskParams, frozen=True, rename="camel"):
    input_responses: dict[str, Any]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass
class _Task:
    call: OpenCall
    created: str = field(default_factory=_now)
    last_state: tuple[Any, ...] = ()
    changed: str = field(default_factory=_now)

    def state(self, id: str) -> dict[str, Any]:
        """The task as `tasks/get` returns it."""
        status, members = self._status()
        if self.last_state != (status, self.call.message):
            self.last_state, self.changed = (status, self.call.message), _now()
        state = {
            "taskId": id,
            "status": status,
            "createdAt": self.created,
            "lastUpdatedAt": self.changed,
            "ttlMs": int(_TTL_SECONDS * 1000),
            "pollIntervalMs": _POLL_MS,
        }
        return {**state, **({"statusMessage": self.call.message} if self.call.message else {}), **members}

    def _status(self) -> tuple[str, dict[str, Any]]:
        task = self.call.task
        if not task.done():
            questions = self.call.questions()
            return ("input_required", {"inputRequests": questions}) if questions else ("working", {})
        if task.cancelled():
            return "cancelled", {}
        fault = task.exception()
        if fault is None:
            return "completed", {"result": task.result()}
        return "failed", {"error": _error(fault).encoded()}


def _error(fault: BaseException) -> RpcError:
    if isinstance(fault, RpcError):
        return fault
    assert isinstance(fault, Exception)
    return RpcError(INTERNAL_ERROR, unexpected_error("a task", fault).message)


class Tasks:
    def __init__(self, owner_of: OwnerOf, *, soon: float = _SOON_SECONDS) -> None:
        self._owner_of = owner_of
        self._soon = soon
        self._tasks: dict[str, _Task] = {}

    @property
    def methods(self) -> dict[str, Method[Any]]:
        return {
            "tasks/get": Method(TaskParams, self._get, STATELESS_VERSIONS),
            "tasks/update": Method(UpdateParams, self._update, STATELESS_VERSIONS),
            "tasks/cancel": Method(TaskParams, self._cancel, STATELESS_VERSIONS),
        }

    async def answer(
        self, owner: str, params: CallParams, work: Callable[[OpenCall], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """The call's result if it ends soon and asks no one; otherwise a task."""
        call = OpenCall(owner, params)
        call.start(work)
        try:
            await call.wait_until(lambda call: call.has_asked_person, self._soon)
        finally:
            call.is_heard = False
        if call.task.done():
            return await call.task
        finished = [id for id, task in self._tasks.items() if task.call.owner == owner and task.call.task.done()]
        for id in finished[:-_MOST_FINISHED]:
            self._drop(id)
        id = secrets.token_urlsafe(24)
        self._tasks[id] = _Task(call)
        asyncio.get_running_loop().call_later(_TTL_SECONDS, self._drop, id)
        state = self._tasks[id].state(id)
        state.pop("inputRequests", None)
        return {"resultType": "task", **state}

    def forget(self, owner: str) -> None:
        """Ends the tasks of a client that has disconnected."""
        for id, task in list(self._tasks.items()):
            if task.call.owner == owner:
                self._drop(id)

    def _drop(self, id: str) -> None:
        if (task := self._tasks.pop(id, None)) is not None:
            task.call.stop()

    async def _get(self, request: Request, params: TaskParams) -> dict[str, Any]:
        return {**self._find(request, params.task_id).state(params.task_id), **COMPLETE}

    async def _update(self, request: Request, params: UpdateParams) -> dict[str, Any]:
        self._find(request, params.task_id).call.take(params.input_responses)
        return dict(COMPLETE)

    async def _cancel(self, request: Request, params: TaskParams) -> dict[str, Any]:
        self._find(request, params.task_id).call.stop()
        return dict(COMPLETE)

    def _find(self, request: Request, id: str) -> _Task:
        if not request.has_tasks:
            required: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}
            raise RpcError(MISSING_CAPABILITY, "Declare the tasks extension in the client's capabilities.", required)
        task = self._tasks.get(id)
        if task is None or task.call.owner != self._owner_of(request):
            raise RpcError(
                INVALID_PARAMS,
                "Unknown task: it is not yours, it has expired, or handrail was restarted. If its call was waiting for "
                "an approval, call the tool again: an approval that was given since still counts for the same call.",
            )
        return task
