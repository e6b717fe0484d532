"""Converts browser tasks and actions to database rows and back."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.browser_errors import pack_failure, unpack_failure
from handrail.ports.browser_store import StoredAction
from handrail.ports.errors import Failure, Offline

TASK_COLUMNS = "task_id, title, status, created_at, updated_at, selected_client_id, is_archived, is_reading"


def task_values(task: TaskRecord) -> tuple[Any, ...]:
    selected = None if task.selected_client_id is UNSET else task.selected_client_id
    reading = None if task.reading is UNSET else task.reading
    times = (task.created_at, task.updated_at)
    return (task.task_id, task.title, task.status, *times, selected, task.archived is True, reading)


def task_of(row: Sequence[Any]) -> TaskRecord:
    record = TaskRecord(task_id=row[0], title=row[1], status=row[2], created_at=row[3], updated_at=row[4])
    selected, archived = UNSET if row[5] is None else row[5], True if row[6] else UNSET
    reading = UNSET if row[7] is None else bool(row[7])
    return msgspec.structs.replace(record, selected_client_id=selected, archived=archived, reading=reading)


def word_pattern(word: str) -> str:
    """A LIKE pattern for a word anywhere in the text, with its special characters escaped."""
    return "%" + "".join(f"!{sign}" if sign in "!%_" else sign for sign in word) + "%"


def begun_values(action: ActionRecord) -> tuple[Any, ...]:
    trace = None if action.trace_id is UNSET else action.trace_id
    encoded = msgspec.json.encode(action.actions)
    return (action.action_id, action.task_id, action.client_id, encoded, action.created_at, trace)


def ended_values(action: ActionRecord, failure: Failure | None) -> tuple[Any, ...]:
    result = None if action.result is UNSET else msgspec.json.encode(action.result)
    return (action.status, result, encode_failure(failure), action.ended_at, action.action_id)


def encode_failure(failure: Failure | None) -> bytes | None:
    return None if failure is None else msgspec.json.encode(pack_failure(failure))


def interrupted_failure() -> Offline:
    """The error of an action whose server stopped before the action ended."""
    failure = Offline(
        "handrail was stopped before the action had ended. It may have been done.",
        hint="Look at the page before doing it again.",
        mayHaveBeenDone=True,
    )
    failure.retryable = False
    return failure


def stored_action(action_id: str, row: Sequence[Any]) -> StoredAction:
    task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at = row
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
    if error is None:
        return StoredAction(record)
    return StoredAction(record, unpack_failure(msgspec.json.decode(error)))
