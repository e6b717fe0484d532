"""desktop.confirm.issue: a token for one call that acts. In mode human a person is asked first, or has been."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.approval import ask_person, check_answer
from handrail.features.desktop.host.confirmation import Shown
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.methods.intent import Intent, read_intent
from handrail.features.desktop.host.params import Name, Params
from handrail.features.desktop.host.records import stamp
from handrail.features.desktop.host.services import Reading, Result, Services
from handrail.kernel.digest import short
from handrail.kernel.evidence import utc_now
from handrail.ports.tokens import Scope

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
