"""The outcome of a call, derived from its last record. A call that was denied has not failed."""

from collections.abc import Mapping
from typing import Any, Literal

from handrail.ports.effect import Effect

Outcome = Literal["done", "denied", "unanswered", "failed", "unknown"]
CHANGES = frozenset(effect.value for effect in Effect if effect.changes)
DENIALS = frozenset({"Declined", "AskedTooOften"})
NO_REPLY = frozenset({"Timeout", "Unacknowledged", "Unfinished", "Offline", "BadAnswer"})
"""Conditions after which it is unknown whether the call was carried out."""


def outcome_of(
    ok: bool | None, answer: str | None, condition: str | None, effect: str, *, has_evidence: bool
) -> Outcome:
    """Returns the outcome of a call that has ended. `unknown` means that it may or may not have been done."""
    if ok:
        return "done"
    if answer == "timeout":
        return "unanswered"
    if answer == "canceled" or condition in DENIALS:
        return "denied"
    return "unknown" if has_evidence and effect in CHANGES and condition in NO_REPLY else "failed"


def outcome_of_record(record: Mapping[str, Any]) -> Outcome:
    answer, error = record.get("answer") or {}, record.get("error") or {}
    return outcome_of(
        record.get("ok"),
        answer.get("status"),
        error.get("condition"),
        str(record.get("effect")),
        has_evidence="evidence" in record,
    )


def with_outcome(record: dict[str, Any]) -> dict[str, Any]:
    """Adds the outcome to an end record, so that pages need no rules of their own."""
    return {**record, "outcome": outcome_of_record(record)} if record.get("event") == "end" else record
