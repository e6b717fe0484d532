"""What a program may do in the queue: ask anything but what could pass for a question of handrail's own, and answer
none of those: what handrail asks, for its gate or for an agent, it asks a person.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.kernel.visible import one_line
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_queue import OWN_ORIGIN, Origin, PromptQueue
from handrail.ports.prompts import FileChangePrompt, Prompt

_FOR_A_PERSON = (APPROVAL_PREFIX, "plan_", "ask_")
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
    "parts": "parts",
    "masked": "masked",
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


def origin_members(prompt: Prompt, origin: Origin | None) -> dict[str, Any]:
    """Where a prompt comes from: `isOwn` for handrail's own, with the agent that asks; otherwise who `postedBy`."""
    if origin is not None and origin.is_own:
        return {"isOwn": True} if origin.by == OWN_ORIGIN.by else {"isOwn": True, "askedBy": one_line(origin.by)}
    claim = prompt.source if prompt.source is not UNSET and prompt.source.lower().startswith(_RESERVED) else None
    told: dict[str, Any] = {"isOwn": False, "postedBy": ANOTHER_PROGRAM if origin is None else one_line(origin.by)}
    return told if claim is None else {**told, "claimedSource": one_line(claim)}


def client_members(prompt: Prompt, origin: Origin | None) -> dict[str, Any]:
    """The prompt for a client. Scopes, and what else only the gate's approvals have, are left out of all others."""
    members: dict[str, Any] = msgspec.to_builtins(prompt)
    if origin is not None and origin.is_own:
        return members
    return {name: value for name, value in members.items() if name not in _ONLY_OURS}


async def needs_person(queue: PromptQueue, request_id: str, poster: str | None = None) -> bool:
    """By its id, whatever the log holds by now. So is a change to confirm, unless its poster answers it."""
    if request_id.startswith(_FOR_A_PERSON):
        return True
    found = await queue.find(request_id)
    if found is None or not found.is_pending or not isinstance(found.prompt, FileChangePrompt):
        return False
    origin = (await queue.origins([request_id])).get(request_id)
    return poster is None or origin is None or origin.is_own or origin.by != poster


def _reserved(field: str, why: str) -> InvalidParams:
    return InvalidParams(f"{field}: {why}.", fieldErrors=[{"field": field, "message": why}])
