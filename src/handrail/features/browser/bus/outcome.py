"""How a plugin reports that an action has ended: three forms with the same meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handrail.features.browser.bus.numbered_elements import with_texts
from handrail.ports.browser import EndStatus
from handrail.ports.errors import Aborted, BadAnswer, Failure, InvalidParams, Offline, Reported, Timeout

RESULT_TYPE = "browser_action_result"
_CODE_LENGTH = 64
_LATE = frozenset({"PLUGIN_TIMEOUT_EXEC", "NAVIGATION_TIMEOUT"})
MAY_BE_DONE = "It may have been done."
LOOK_FIRST = "Look at the page with browser_page before doing it again."


@dataclass(frozen=True, slots=True)
class End:
    """How an action ended: done, partly done, or failed."""

    status: EndStatus
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        given = self.result.get("warnings")
        return tuple(str(warning) for warning in given) if isinstance(given, list) else ()


def failed(failure: Failure) -> End:
    return End("error", failure=failure)


def with_text_ids(end: End) -> End:
    return End(end.status, with_texts(end.result), end.failure)


def doubtful(end: End) -> End:
    """How an action ended that was sent and must not be done twice: without an answer, it may have been done."""
    failure = end.failure
    is_late = isinstance(failure, Reported) and failure.code in _LATE
    if failure is not None and (is_late or isinstance(failure, Offline | Timeout | Aborted)):
        return failed(perhaps_done(failure))
    return end


def perhaps_done(failure: Failure) -> Failure:
    failure.retryable = False
    failure.hint = failure.hint or LOOK_FIRST
    failure.details["mayHaveBeenDone"] = True
    if MAY_BE_DONE not in failure.message:
        failure.message = f"{failure.message} {MAY_BE_DONE}"
    return failure


def is_result(message: Mapping[str, Any]) -> bool:
    """Contract 2 §3.5: by its type, or in the old form by `actionId` and `status`."""
    kind = message.get("type")
    return kind == RESULT_TYPE or (kind is None and "actionId" in message and "status" in message)


def action_id(message: Mapping[str, Any]) -> str:
    given = message.get("actionId")
    if not isinstance(given, str) or not given:
        raise InvalidParams("`actionId` is missing.", fieldErrors=[{"field": "actionId", "message": "is missing"}])
    return given


def end_of(message: Mapping[str, Any]) -> End:
    """BadAnswer if it can't be understood."""
    status = message.get("status")
    if status == "error":
        return failed(reported(message.get("error")))
    if status != "success" and status != "partial":
        raise BadAnswer("`status` must be success, partial or error.")
    result = message.get("result")
    if result is not None and not isinstance(result, dict):
        raise BadAnswer("`result` must be an object.")
    return End("success" if status == "success" else "partial", result or {})


def end_in_ack(ack: Any) -> End | None:
    """None for `{ok: true}`: received and running. A refusal ends the action, and so does a whole result."""
    if not isinstance(ack, dict):
        return None
    if "status" in ack:
        try:
            return end_of(ack)
        except BadAnswer as bad:
            return failed(bad)
    if ack.get("ok") is False:
        return failed(reported(ack.get("error")))
    return None


def reported(error: Any) -> Reported:
    """The plugin's own error; in the old form it is a plain text."""
    if not isinstance(error, dict):
        return Reported(str(error or "The plugin says that it failed, and not why.")[:2000], code="PLUGIN_ERROR")
    code, details = error.get("code"), error.get("details")
    known = dict(details) if isinstance(details, dict) else {}
    hint = known.pop("hint", None) if isinstance(known.get("hint"), str) else None
    failure = Reported(
        str(error.get("message") or "The plugin says that it failed, and not why."),
        code=code if isinstance(code, str) and 0 < len(code) <= _CODE_LENGTH else "PLUGIN_ERROR",
        retryable=error.get("retryable") is True,
        hint=hint,
    )
    failure.details = known  # not as arguments: a plugin may name them as it likes
    return failure
