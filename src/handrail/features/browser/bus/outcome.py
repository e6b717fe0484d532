"""How an action ended, parsed from the three forms in which plugins report it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handrail.features.browser.bus.numbered_elements import with_texts
from handrail.ports.browser import EndStatus
from handrail.ports.errors import Aborted, BadAnswer, Failure, InvalidParams, Offline, Reported, Timeout

RESULT_TYPE = "browser_action_result"
_CODE_LENGTH = 64
_TIMEOUT_CODES = frozenset({"PLUGIN_TIMEOUT_EXEC", "NAVIGATION_TIMEOUT"})
MAYBE_DONE = "It may have been done."
LOOK_FIRST = "Look at the page with browser_page before doing it again."


@dataclass(frozen=True, slots=True)
class End:
    """How an action ended: done, partly done, or failed."""

    status: EndStatus
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        warnings = self.result.get("warnings")
        return tuple(str(warning) for warning in warnings) if isinstance(warnings, list) else ()


def failed(failure: Failure) -> End:
    return End("error", failure=failure)


def with_text_ids(end: End) -> End:
    return End(end.status, with_texts(end.result), end.failure)


def mark_uncertain(end: End) -> End:
    """The end of an action that was sent and must not run twice: without an answer, it may have been done."""
    failure = end.failure
    is_late = isinstance(failure, Reported) and failure.code in _TIMEOUT_CODES
    if failure is not None and (is_late or isinstance(failure, Offline | Timeout | Aborted)):
        return failed(mark_maybe_done(failure))
    return end


def mark_maybe_done(failure: Failure) -> Failure:
    failure.retryable = False
    failure.hint = failure.hint or LOOK_FIRST
    failure.details["mayHaveBeenDone"] = True
    if MAYBE_DONE not in failure.message:
        failure.message = f"{failure.message} {MAYBE_DONE}"
    return failure


def is_result(message: Mapping[str, Any]) -> bool:
    """Contract 2 §3.5: by its type, or in the old form by `actionId` and `status`."""
    kind = message.get("type")
    return kind == RESULT_TYPE or (kind is None and "actionId" in message and "status" in message)


def action_id(message: Mapping[str, Any]) -> str:
    id = message.get("actionId")
    if not isinstance(id, str) or not id:
        raise InvalidParams("`actionId` is missing.", fieldErrors=[{"field": "actionId", "message": "is missing"}])
    return id


def parse_end(message: Mapping[str, Any]) -> End:
    """Raises BadAnswer if the message can't be understood."""
    status = message.get("status")
    if status == "error":
        return failed(reported_failure(message.get("error")))
    if status != "success" and status != "partial":
        raise BadAnswer("`status` must be success, partial or error.")
    result = message.get("result")
    if result is not None and not isinstance(result, dict):
        raise BadAnswer("`result` must be an object.")
    return End("success" if status == "success" else "partial", result or {})


def end_in_ack(ack: Any) -> End | None:
    """None for `{ok: true}`: received and running. A refusal or a complete result ends the action."""
    if not isinstance(ack, dict):
        return None
    if "status" in ack:
        try:
            return parse_end(ack)
        except BadAnswer as bad:
            return failed(bad)
    if ack.get("ok") is False:
        return failed(reported_failure(ack.get("error")))
    return None


def reported_failure(error: Any) -> Reported:
    """The plugin's own error; in the old form it is plain text."""
    if not isinstance(error, dict):
        return Reported(str(error or "The plugin reported an error without a reason.")[:2000], code="PLUGIN_ERROR")
    code, details = error.get("code"), error.get("details")
    copy = dict(details) if isinstance(details, dict) else {}
    hint = copy.pop("hint", None) if isinstance(copy.get("hint"), str) else None
    failure = Reported(
        str(error.get("message") or "The plugin reported an error without a reason."),
        code=code if isinstance(code, str) and 0 < len(code) <= _CODE_LENGTH else "PLUGIN_ERROR",
        retryable=error.get("retryable") is True,
        hint=hint,
    )
    failure.details = copy  # not as keyword arguments, since a plugin may choose any names
    return failure
