"""What came of a call, by its last record: what a person or a rule stopped is not what went wrong."""

from collections.abc import Mapping
from typing import Any, Literal

from handrail.ports.effect import Effect

Outcome = Literal["done", "denied", "unanswered", "failed", "unknown"]
CHANGES = frozenset(effect.value for effect in Effect if effect.changes)
STOPPED = frozenset({"Declined", "AskedTooOften"})
UNHEARD = frozenset({"Timeout", "Unacknowledged", "Unfinished", "Offline", "BadAnswer"})
"""Whoever carried it out never said how it ended."""


def outcome_of(
    ok: bool | None, answer: str | None, condition: str | None, effect: str, *, has_evidence: bool
) -> Outcome:
    """Of a call that has ended. `unknown`: it may have begun, and whether it was done can't be told."""
    if ok:
        return "done"
    if answer == "timeout":
        return "unanswered"
    if answer == "canceled" or condition in STOPPED:
        return "denied"
    return "unknown" if has_evidence and effect in CHANGES and condition in UNHEARD else "failed"


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
    """As pages get it: they need no rules of their own."""
    return {**record, "outcome": outcome_of_record(record)} if record.get("event") == "end" else record
