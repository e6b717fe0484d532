"""What came of a call, by its last record: what a person or a rule stopped is not what went wrong."""

from collections.abc import Mapping
from typing import Any, Literal

from handrail.ports.effect import Effect

Outcome = Literal["done", "denied", "unanswered", "failed", "unknown"]
_CHANGES = frozenset(effect.value for effect in Effect if effect.changes)
_STOPPED = frozenset({"Declined", "AskedTooOften"})
_UNHEARD = frozenset({"Timeout", "Unacknowledged", "Unfinished", "Offline", "BadAnswer"})
"""Whoever carried it out never said how it ended."""


def outcome_of(
    ok: bool | None, answer: str | None, condition: str | None, effect: str, *, has_evidence: bool
) -> Outcome:
    """Of a call that has ended. `unknown`: it may have begun, and whether it was done can't be told."""
    if ok:
        return "done"
    if answer == "timeout":
        return "unanswered"
    if answer == "canceled" or condition in _STOPPED:
        return "denied"
    return "unknown" if has_evidence and effect in _CHANGES and condition in _UNHEARD else "failed"


def outcome_of_record(record: Mapping[str, Any]) -> Outcome:
    answer, error = record.get("answer") or {}, record.get("error") or {}
    return outcome_of(
        record.get("ok"),
        answer.get("status"),
        error.get("condition"),
        str(record.get("effect")),
        has_evidence="evidence" in record,
    )
