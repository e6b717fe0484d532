"""What a program may do in the queue: ask anything but what could pass for a question of handrail's own, and answer
none of those: what handrail asks, for its gate or for an agent, it asks a person.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from handrail.kernel.queue_approver import PREFIX
from handrail.kernel.visible import one_line
from handrail.ports.errors import InvalidParams
from handrail.ports.prompts import FileChangePrompt, Origin, Prompt, PromptQueue

_FOR_A_PERSON = (PREFIX, "plan_", "ask_")
_OWN = (*_FOR_A_PERSON, "done_")
"""What handrail's own questions begin with: the gate's, plans, the tools' and results."""


_RESERVED = "handrail"
ANOTHER_PROGRAM = "another program"
_ONLY_OURS = {
    "scope": "scope",
    "consent": "consent",
    "offers": "offers",
    "runsLater": "runs_later",
    "critical": "critical",
    "bundle": "bundle",
    "card": "card",
}


def check_foreign(prompt: Prompt | Mapping[str, Any], request_id: str | None) -> None:
    """InvalidParams, where a yes to these words could be used for another deed than they tell."""
    if request_id is not None and request_id.startswith(_OWN):
        raise _reserved("requestId", f"must not begin with {', '.join(_OWN)}, as handrail's own questions do")
    for member, field in _ONLY_OURS.items():
        if isinstance(prompt, Mapping):
            is_there = member in prompt
        else:
            is_there = isinstance(prompt, FileChangePrompt) and getattr(prompt, field) is not UNSET
        if is_there:
            raise _reserved(f"prompt.{member}", "is only in approvals of the gate")


def posted(prompt: Prompt, origin: Origin | None) -> dict[str, Any]:
    """What people are told of where a prompt comes from: `isOwn` for handrail's own, otherwise who `postedBy`."""
    if origin is not None and origin.is_own:
        return {"isOwn": True}
    claim = prompt.source if prompt.source is not UNSET and prompt.source.lower().startswith(_RESERVED) else None
    told: dict[str, Any] = {"isOwn": False, "postedBy": ANOTHER_PROGRAM if origin is None else one_line(origin.by)}
    return told if claim is None else {**told, "claimedSource": one_line(claim)}


async def is_for_a_person(queue: PromptQueue, request_id: str) -> bool:
    """By its id, whatever the log holds by now; a change to confirm is for a person, whoever asks."""
    if request_id.startswith(_FOR_A_PERSON):
        return True
    found = await queue.find(request_id)
    return found is not None and found.is_pending and isinstance(found.prompt, FileChangePrompt)


def _reserved(field: str, why: str) -> InvalidParams:
    return InvalidParams(f"{field}: {why}.", fieldErrors=[{"field": field, "message": why}])
