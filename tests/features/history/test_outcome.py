"""What came of a call: what was stopped, what went wrong, and what can't be told are different things."""

from typing import Any

import pytest

from handrail.features.history.outcome import outcome_of_record

EVIDENCE = {"dir": "d", "sha256": {}}


@pytest.mark.parametrize(
    ("outcome", "record"),
    [
        ("done", {"ok": True}),
        ("denied", {"answer": {"status": "canceled"}, "error": {"condition": "Declined"}, "evidence": EVIDENCE}),
        ("denied", {"error": {"condition": "Declined"}}),
        ("denied", {"error": {"condition": "AskedTooOften"}}),
        ("unanswered", {"answer": {"status": "timeout"}, "error": {"condition": "Declined"}}),
        ("failed", {"error": {"condition": "Conflict"}, "evidence": EVIDENCE}),
        ("failed", {"error": {"condition": "Timeout"}}),
        ("failed", {"error": {"condition": "Timeout"}, "evidence": EVIDENCE, "effect": "READ"}),
        ("unknown", {"error": {"condition": "Unfinished"}, "evidence": EVIDENCE}),
    ],
)
def test_the_outcome_of_a_call_is_described(outcome: str, record: dict[str, Any]) -> None:
    assert outcome_of_record({"ok": False, "effect": "WRITE", **record}) == outcome
