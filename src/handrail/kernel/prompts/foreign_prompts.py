"""Limits for other programs in the queue: their prompts must not look like handrail's own, and they must not answer
handrail's own questions, which are for a person.
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
"""Prefixes of the ids of handrail's own questions: the gate's, plans, the tools' and results."""


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
    """InvalidParams: an answer to this prompt could be used as approval of something else."""
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
    """Where a prompt comes from: `isOwn` for handrail's own, with the agent that asks; otherwise `postedBy`."""
    if origin is not None and origin.is_own:
        return {"isOwn": True} if origin.by == OWN_ORIGIN.by else {"isOwn": True, "askedBy": one_line(origin.by)}
    claim = prompt.source if prompt.source is not UNSET and prompt.source.lower().startswith(_RESERVED) else None
    members: dict[str, Any] = {"isOwn": False, "postedBy": ANOTHER_PROGRAM if origin is None else one_line(origin.by)}
    return members if claim is None else {**members, "claimedSource": one_line(claim)}


def client_members(prompt: Prompt, origin: Origin | None) -> dict[str, Any]:
    """The prompt for a client, without members such as scopes that only the gate's approvals may have."""
    members: dict[str, Any] = msgspec.to_builtins(prompt)
    if origin is not None and origin.is_own:
        return members
    return {name: value for name, value in members.items() if name not in _ONLY_OURS}


async def needs_person(queue: PromptQueue, request_id: str, poster: str | None = None) -> bool:
    """Whether only a person may answer: by its id, or a change to confirm, unless its own poster answers it."""
    if request_id.startswith(_FOR_A_PERSON):
        return True
    asked = await queue.find(request_id)
    if asked is None or not asked.is_pending or not isinstance(asked.prompt, FileChangePrompt):
        return False
    origin = (await queue.origins([request_id])).get(request_id)
    return poster is None or origin is None or origin.is_own or origin.by != poster


def _reserved(field: str, why: str) -> InvalidParams:
    return InvalidParams(f"{field}: {why}.", fieldErrors=[{"field": field, "message": why}])
