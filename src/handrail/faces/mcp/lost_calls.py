"""What became of a call whose server ended before it answered: the audit and the evidence know."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.tool import Reply
from handrail.ports.errors import Aborted, Failure, Unfinished

_RESULT = "result.json"
_MOST_BYTES = 64 * 1024 * 1024


def what_became_of(project: Project, call: Call, since: int) -> Reply | None:
    """Its result if it ended well; None if it has not begun to change anything, so that it may run now.

    Aborted if it had failed, Unfinished if nothing says whether it was done. Blocks.
    """
    begun, ended = _records(project, call.trace_id, since)
    if begun is None:
        return None
    where = f"handrail's server ended during this call ({begun.get('executionId')})."
    if ended is None:
        hint = "Look at what it was to change before you call it again."
        raise _in_doubt(f"{where} It had begun: it may have been done.", hint)
    if not ended.get("ok"):
        raise Aborted(f"{where} It had failed: {(ended.get('error') or {}).get('message', 'the audit says no more')}")
    try:
        kept = project.evidence.read(ended["evidence"]["dir"], _RESULT, _MOST_BYTES)
        return Reply(msgspec.json.decode(kept)["result"])
    except (Failure, KeyError, TypeError, msgspec.DecodeError):
        hint = "Don't call it again; look at what it has changed."
        raise _in_doubt(f"{where} It was done, and its result is lost.", hint) from None


def _in_doubt(message: str, hint: str) -> Unfinished:
    """Whoever repeats it may do it twice."""
    failure = Unfinished(message, hint=hint, mayHaveBeenDone=True)
    failure.retryable = False
    return failure


def _records(project: Project, trace: str | None, since: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The call's `begin` and `end`, among what was recorded since the session began."""
    first = datetime.fromtimestamp(since, UTC).isoformat()
    begun = ended = None
    for entry in project.audit.entries(reverse=True):
        if entry.get("ts", "") < first:
            break
        if entry.get("traceId") == trace:
            if entry.get("event") == "end":
                ended = ended or entry
            elif entry.get("event") == "begin":
                begun = begun or entry
    return begun, ended
