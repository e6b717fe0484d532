"""Stores browser actions: start, end, result and error."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.browser_errors import pack_failure, unpack_failure
from handrail.ports.browser_store import StoredAction
from handrail.ports.errors import Failure, Offline
from handrail.stores.shared.batches import Batches, Row

_COLUMNS = "action_id, task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at"
_COMPLETED = f"SELECT {_COLUMNS} FROM browser_action WHERE task_id = $1 AND status IN ('success', 'partial')"


class ActionRows(ABC):
    contains: ClassVar[str]
    """The condition that `actions` contains the bytes `$2`."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    @abstractmethod
    def begin(self, action: ActionRecord) -> asyncio.Future[None]: ...

    @abstractmethod
    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> asyncio.Future[None]: ...

    @abstractmethod
    def end_interrupted(self, now: int) -> asyncio.Future[None]: ...

    async def find(self, action_id: str) -> StoredAction | None:
        row = await self._batches.row(f"SELECT {_COLUMNS} FROM browser_action WHERE action_id = $1", action_id)
        return None if row is None else _action_of(row)

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        query = f"{_COMPLETED} AND {self.contains} ORDER BY ended_at DESC LIMIT $3"
        rows = await self._batches.rows(query, task_id, f'"{name}":{{'.encode(), limit)
        records = (_action_of(row).record for row in rows)
        return [record for record in records if name in record.actions]  # typed text may contain the name, too

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        rows = await self._batches.rows(f"{_COMPLETED} ORDER BY ended_at DESC LIMIT $2", task_id, limit)
        return [_action_of(row).record for row in rows]

    def forget(self, before: int) -> asyncio.Future[None]:
        return self._batches.execute("DELETE FROM browser_action WHERE ended_at < $1", before)


def begun_values(action: ActionRecord) -> tuple[Any, ...]:
    trace = None if action.trace_id is UNSET else action.trace_id
    encoded = msgspec.json.encode(action.actions)
    return (action.action_id, action.task_id, action.client_id, encoded, action.created_at, trace)


def ended_values(action: ActionRecord, failure: Failure | None) -> tuple[Any, ...]:
    result = None if action.result is UNSET else msgspec.json.encode(action.result)
    error = None if failure is None else _encode_failure(failure)
    return (action.status, result, error, action.ended_at, action.action_id)


def interrupted_error() -> bytes:
    """The error of an action whose server stopped before the action ended."""
    failure = Offline(
        "handrail was stopped before the action had ended. It may have been done.",
        hint="Look at the page before doing it again.",
        mayHaveBeenDone=True,
    )
    failure.retryable = False
    return _encode_failure(failure)


def _encode_failure(failure: Failure) -> bytes:
    return msgspec.json.encode(pack_failure(failure))


def _action_of(row: Row) -> StoredAction:
    action_id, task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at = row
    record = ActionRecord(
        action_id=action_id,
        task_id=task_id,
        client_id=client_id,
        actions=msgspec.json.decode(actions),
        created_at=created_at,
        trace_id=trace_id or UNSET,
        status=status or UNSET,
        result=UNSET if result is None else msgspec.json.decode(result),
        ended_at=UNSET if ended_at is None else ended_at,
    )
    return StoredAction(record, None if error is None else unpack_failure(msgspec.json.decode(error)))
