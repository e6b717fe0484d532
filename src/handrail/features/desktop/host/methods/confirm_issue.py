"""desktop.confirm.issue: issues a token for one call that acts. In mode human a person must approve it.

The person sees the target outlined in a screenshot. Waiting for them doesn't count towards the call's timeout; if the
caller gives up, the question is withdrawn.
"""

import asyncio
from datetime import timedelta
from typing import Annotated
from uuid import uuid4

from msgspec import UNSET
from msgspec import Meta as Bound

from handrail.features.desktop.host.action_runner import record_screenshot
from handrail.features.desktop.host.confirmation import ShownContext, ShownTarget, confirmation_refused
from handrail.features.desktop.host.execution import Execution, stamp
from handrail.features.desktop.host.methods.intents import IntendedCall, Intent, read_intent
from handrail.features.desktop.host.params import Name, Params
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import ReadMethod, Result, Services
from handrail.features.desktop.host.surroundings import (
    outline_frame,
    pointed_area,
    read_surroundings,
    types_into_password_field,
)
from handrail.kernel.approval import Question
from handrail.kernel.call import Call
from handrail.kernel.digest import shorten
from handrail.kernel.evidence import utc_now
from handrail.kernel.prompts.approval_prompt import prompt_of
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview
from handrail.ports.effect import Effect
from handrail.ports.prompt_queue import OWN_ORIGIN
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import MASK, FileChangePrompt, PromptImage
from handrail.ports.tokens import TokenScope

_SCREENSHOT = "prompt.png"
_MAX_LINES = 40


async def ask_person(
    services: Services, execution: Execution, intended: IntendedCall, subject: Subject
) -> ShownContext:
    """Asks a person. Returns what they saw if they approve; otherwise Unconfirmed with their remark."""
    desktop, window = await services.source.get(), subject.window
    frame = outline_frame(subject) or window.frame
    shot = await record_screenshot(desktop, execution, _SCREENSHOT, frame, cropped=pointed_area(subject))
    surroundings = await read_surroundings(desktop, subject, services.pictures, shot)
    await execution.record.save()
    image = PromptImage(path=execution.record.path_of(_SCREENSHOT), alt="The target is outlined.")
    method, params = intended.action.name, intended.shown_params
    secrets = {name: params[name] for name in ("text", "value") if isinstance(params.get(name), str)}
    if secrets and await types_into_password_field(desktop, subject):
        params = {**params, **dict.fromkeys(secrets, MASK)}
    else:
        secrets = {}
    question = Question(
        Call(method, params, execution.caller, execution_id=execution.id),
        method,
        Effect.UI_CONTROL,
        {**_facts(execution, subject), **params},
        Preview(
            f"{method} in {quote_text(window.title or window.app_name)}",
            app=window.app_id,
            facts=[("Around it", line) for line in surroundings.lines[:_MAX_LINES]],
            unseen=None if shot is not None else "No picture of the screen could be taken.",
            masked=secrets,
        ),
        intended.digest,
        [] if shot is None else [image],
    )
    request_id = f"{APPROVAL_PREFIX}desktop_{uuid4().hex}"
    execution.record.note("asking", promptRequestId=request_id)
    async with execution.deadline.paused():
        try:
            answer = await services.prompts.ask(
                prompt_of(question), request_id=request_id, origin=OWN_ORIGIN, masked=secrets
            )
        except asyncio.CancelledError:
            await asyncio.shield(try_withdraw(services.prompts, request_id))
            raise
    execution.record.note("answered", promptRequestId=request_id, status=answer.response.status)
    _refuse_unless_ok(answer.response)
    return ShownContext(ShownTarget.of(window, subject.element), surroundings.fingerprint)


def _facts(execution: Execution, subject: Subject) -> dict[str, str]:
    window, element = subject.window, subject.element
    facts = {
        "Workspace": quote_text(execution.meta.workspace_path, 4096),
        "Window": f"{quote_text(window.title)} of {quote_text(window.app_id or window.app_name)}",
    }
    return facts if element is None else {**facts, "Element": f"{element.role} {quote_text(element.title)}"}


async def check_answer(services: Services, request_id: str, method: str, params_digest: str) -> None:
    """Accepts an approval that the gate has asked for, if it is for exactly this call, approved, and unused."""
    entry = await services.prompts.find(request_id)
    origin = (await services.prompts.origins([request_id])).get(request_id)
    is_own = request_id.startswith(APPROVAL_PREFIX) and origin is not None and origin.is_own
    if entry is None or not is_own or not isinstance(entry.prompt, FileChangePrompt):
        raise confirmation_refused("invalid", "Unknown approval.")
    warrant = entry.prompt.scope
    if warrant is UNSET:
        raise confirmation_refused("invalid", "That approval is not for a call to this host.")
    if warrant.method != method:
        raise confirmation_refused("method", "That approval is for another method.")
    if warrant.params_digest != params_digest:
        raise confirmation_refused("params", "That approval is for other parameters.")
    if entry.answer is None:
        raise confirmation_refused("denied", "That approval is still pending.")
    _refuse_unless_ok(entry.answer.response)
    if not await services.once.claim(request_id):
        raise confirmation_refused("used", "That approval has already been used.")


def _refuse_unless_ok(response: PromptResponse) -> None:
    if response.status == "ok":
        return
    details = {"remark": response.remark} if response.remark is not UNSET and response.remark else {}
    message = "No one answered in time." if response.status == "timeout" else "A person denied it."
    raise confirmation_refused("denied", message, **details)


MAX_TTL_MS = 600_000


class ConfirmIssueParams(Params, frozen=True, kw_only=True):
    intent: Intent
    ttl_ms: Annotated[int, Bound(ge=1, le=MAX_TTL_MS)] = 60_000
    prompt_request_id: Name | None = None
    """The prompt in which the gate has asked about exactly this call, so that no one is asked twice."""


async def confirm_issue(services: Services, execution: Execution, params: ConfirmIssueParams) -> Result:
    intended = read_intent(params.intent)
    shown_context: ShownContext | None = None
    if params.prompt_request_id is not None:
        await check_answer(services, params.prompt_request_id, intended.action.name, intended.digest)
    elif services.confirmation.mode == "human":
        subject = await intended.subject(services)
        shown_context = await ask_person(services, execution, intended, subject)
    ttl = timedelta(milliseconds=params.ttl_ms)
    expires_at = utc_now() + ttl
    scope = TokenScope(execution.peer.digest, intended.action.name, intended.digest)
    return {
        "token": await services.confirmation.issue(scope, ttl.total_seconds(), shown_context),
        "expiresAt": stamp(expires_at),
        "scope": {"method": intended.action.name, "paramsDigest": shorten(intended.digest)},
        "peer": {"auditTokenDigest": execution.peer.short_digest, "pid": execution.peer.pid},
    }


METHOD = ReadMethod("desktop.confirm.issue", ConfirmIssueParams, confirm_issue, unrecorded=frozenset({"token"}))
