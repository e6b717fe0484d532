"""Finds the outcome of a call whose server ended before it answered, in the audit and the evidence."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.tool import Reply
from handrail.ports.errors import Aborted, Failure, Unfinished

_RESULT = "result.json"
_MOST_BYTES = 64 * 1024 * 1024


def find_outcome(project: Project, call: Call, since: int) -> Reply | None:
    """The call's result if it succeeded; None if it hadn't begun to change anything, so that it may run now.

    Raises Aborted if it failed, Unfinished if it isn't known whether it was done. Blocks.
    """
    begin, end = _records(project, call.trace_id, since)
    if begin is None:
        return None
    where = f"handrail's server ended during this call ({begin.get('executionId')})."
    if end is None:
        hint = "Check what it would have changed before you call it again."
        raise _in_doubt(f"{where} It had begun, so it may have been done.", hint)
    if not end.get("ok"):
        raise Aborted(f"{where} It had failed: {(end.get('error') or {}).get('message', 'the audit says no more')}")
    try:
        data = project.evidence.read(end["evidence"]["dir"], _RESULT, _MOST_BYTES)
        return Reply(msgspec.json.decode(data)["result"])
    except (Failure, KeyError, TypeError, msgspec.DecodeError):
        hint = "Don't call it again; check what it has changed."
        raise _in_doubt(f"{where} It was done, and its result is lost.", hint) from None


def _in_doubt(message: str, hint: str) -> Unfinished:
    """Not retryable, because a retry might do it twice."""
    failure = Unfinished(message, hint=hint, mayHaveBeenDone=True)
    failure.retryable = False
    return failure


def _records(project: Project, trace: str | None, since: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The call's `begin` and `end` records, if they were written since the session began."""
    first = datetime.fromtimestamp(since, UTC).isoformat()
    begin = end = None
    for entry in project.audit.entries(reverse=True):
        if entry.get("ts", "") < first:
            break
        if entry.get("traceId") == trace:
            if entry.get("event") == "end":
                end = end or entry
            elif entry.get("event") == "begin":
                begin = begin or entry
    return begin, end
