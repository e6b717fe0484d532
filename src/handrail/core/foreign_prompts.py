"""What a program may put into the queue: any question, but none that could pass for an approval of the gate's."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from handrail.contract.errors import InvalidParams
from handrail.contract.prompts import FileChangePrompt, Prompt
from handrail.core.queue_approver import PREFIX


def check_foreign(prompt: Prompt | Mapping[str, Any], request_id: str | None) -> None:
    """InvalidParams, where a yes to these words could be used for another deed than they tell."""
    if request_id is not None and request_id.startswith(PREFIX):
        raise _reserved("requestId", f"must not begin with {PREFIX}, which approvals of the gate do")
    for member in ("scope", "consent"):
        if isinstance(prompt, Mapping):
            is_there = member in prompt
        else:
            is_there = isinstance(prompt, FileChangePrompt) and getattr(prompt, member) is not UNSET
        if is_there:
            raise _reserved(f"prompt.{member}", "is only in approvals of the gate")


def _reserved(field: str, why: str) -> InvalidParams:
    return InvalidParams(f"{field}: {why}.", fieldErrors=[{"field": field, "message": why}])
