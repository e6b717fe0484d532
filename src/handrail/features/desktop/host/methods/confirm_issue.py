"""desktop.confirm.issue: a token for one call that acts. In mode human a person is asked first, or has been.

They see the target outlined in a picture. The wait for them is outside of the call's time, and whoever stops waiting
takes the question along.
"""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Any
from uuid import uuid4

import msgspec
from msgspec import UNSET
from msgspec import Meta as Bound

from handrail.features.desktop.host.acting import picture
from handrail.features.desktop.host.confirmation import Shown, refused
from handrail.features.desktop.host.execution import Execution, stamp
from handrail.features.desktop.host.methods.actions import Intent, read_intent
from handrail.features.desktop.host.params import Name, Params
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.kernel.digest import short
from handrail.kernel.evidence import utc_now
from handrail.kernel.prompts.first_answer import drop
from handrail.kernel.queue_approver import PREFIX
from handrail.kernel.quoting import quoted
from handrail.kernel.visible import visible
from handrail.ports.effect import Effect
from handrail.ports.prompts import FileChangePrompt, PromptImage, PromptResponse
from handrail.ports.tokens import Scope

_PICTURE = "prompt.png"


async def ask_person(
    services: Services, execution: Execution, method: str, params: Mapping[str, Any], subject: Subject
) -> None:
    """Returns after an ok. Unconfirmed, with the person's remark, after everything else."""
    desktop, window, element = await services.source.get(), subject.window, subject.element
    frame = element.frame if element is not None and element.frame is not None else window.frame
    is_shown = await picture(desktop, execution, _PICTURE, frame)
    await execution.record.save()
    image = PromptImage(path=execution.record.path_of(_PICTURE), alt="The target is outlined.")
    prompt = FileChangePrompt(
        title=visible(f"{method} in {quoted(window.title or window.app_name)}"),
        message=visible("\n".join(_lines(execution, method, params, subject))),
        source=f"handrail/{method}",
        images=(image,) if is_shown else UNSET,
    )
    request_id = f"{PREFIX}desktop_{uuid4().hex}"
    execution.record.note("asking", promptRequestId=request_id)
    async with execution.deadline.paused():
        try:
            answer = await services.prompts.ask(prompt, request_id=request_id)
        except asyncio.CancelledError:
            await asyncio.shield(drop(services.prompts, request_id))
            raise
    execution.record.note("answered", promptRequestId=request_id, status=answer.response.status)
    _refuse_unless_ok(answer.response)


async def check_answer(services: Services, request_id: str, method: str, params_digest: str) -> None:
    """The gateway has asked already: its prompt must be for exactly this, answered with ok, and used once."""
    asked = await services.prompts.find(request_id)
    if asked is None or not request_id.startswith(PREFIX) or not isinstance(asked.prompt, FileChangePrompt):
        raise refused("invalid", "There is no such approval.")
    warrant = asked.prompt.scope
    if warrant is UNSET:
        raise refused("invalid", "That approval is for no call to this host.")
    if warrant.method != method:
        raise refused("method", "That approval is for another method.")
    if warrant.params_digest != params_digest:
        raise refused("params", "That approval is for other parameters.")
    if asked.answer is None:
        raise refused("denied", "That approval was not given yet.")
    _refuse_unless_ok(asked.answer.response)
    if not await services.once.claim(request_id):
        raise refused("used", "That approval was used before.")


def _refuse_unless_ok(response: PromptResponse) -> None:
    if response.status == "ok":
        return
    details = {"remark": response.remark} if response.remark is not UNSET and response.remark else {}
    words = "Nobody answered in time." if response.status == "timeout" else "A person denied it."
    raise refused("denied", words, **details)


def _lines(execution: Execution, method: str, params: Mapping[str, Any], subject: Subject) -> Iterator[str]:
    window, element = subject.window, subject.element
    yield f"{method} ({Effect.UI_CONTROL.value})"
    yield f"Asked by process {execution.peer.pid} of user {execution.peer.uid}"
    yield f"Workspace: {quoted(execution.meta.workspace_path, 4096)}"
    yield f"Window: {quoted(window.title)} of {quoted(window.app_id or window.app_name)}"
    if element is not None:
        yield f"Element: {element.role} {quoted(element.title)}"
    for name, value in params.items():
        yield from _shown(name, value)


def _shown(name: str, value: Any) -> Iterator[str]:
    """No line of a parameter's can be taken for one of ours."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    yield from (f"  │ {line}" for line in text.split("\n"))


LONGEST_TTL_MS = 600_000


class ConfirmIssueParams(Params, frozen=True, kw_only=True):
    intent: Intent
    ttl_ms: Annotated[int, Bound(ge=1, le=LONGEST_TTL_MS)] = 60_000
    prompt_request_id: Name | None = None
    """An approval that a person has given to a gateway for exactly this, so that nobody is asked twice."""


async def confirm_issue(services: Services, execution: Execution, params: ConfirmIssueParams) -> Result:
    intended = read_intent(params.intent, execution.meta)
    shown: Shown | None = None
    if params.prompt_request_id is not None:
        await check_answer(services, params.prompt_request_id, intended.action.name, intended.digest)
    elif services.confirmation.mode == "human":
        subject = await intended.subject(services)
        await ask_person(services, execution, intended.action.name, intended.shown, subject)
        shown = Shown.of(subject.window, subject.element)
    ttl = timedelta(milliseconds=params.ttl_ms)
    expires_at = utc_now() + ttl
    scope = Scope(execution.peer.digest, intended.action.name, intended.digest)
    return {
        "token": await services.confirmation.issue(scope, ttl.total_seconds(), shown),
        "expiresAt": stamp(expires_at),
        "scope": {"method": intended.action.name, "paramsDigest": short(intended.digest)},
        "peer": {"auditTokenDigest": execution.peer.short_digest, "pid": execution.peer.pid},
    }


METHOD = Reading("desktop.confirm.issue", ConfirmIssueParams, confirm_issue, unrecorded=frozenset({"token"}))
