"""desktop.confirm.issue: a token for one call that acts. In mode human a person is asked first, or has been."""

from datetime import timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta as Bound

from handrail.features.desktop.host.confirmation import Shown, params_digest
from handrail.features.desktop.host.consent import Intention, ask_person, check_answer
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.keys import combinations
from handrail.features.desktop.host.methods import click, dismiss_modal, hotkey, type_text
from handrail.features.desktop.host.methods.dismiss_modal import DismissModalParams
from handrail.features.desktop.host.params import ConfirmedParams, Name, Params, RoutedParams, Wire, read
from handrail.features.desktop.host.records import stamp
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.platform import Element, Window
from handrail.kernel.digest import short
from handrail.kernel.evidence import utc_now
from handrail.ports.errors import InvalidParams
from handrail.ports.tokens import Scope

LONGEST_TTL_MS = 600_000
_ACTING = {method.name: method for method in (click.METHOD, type_text.METHOD, hotkey.METHOD, dismiss_modal.METHOD)}


class Intent(Wire, frozen=True, kw_only=True):
    method: Name
    params: dict[str, Any]


class ConfirmIssueParams(Params, frozen=True, kw_only=True):
    intent: Intent
    ttl_ms: Annotated[int, Bound(ge=1, le=LONGEST_TTL_MS)] = 60_000
    prompt_request_id: Name | None = None
    """An approval that a person has given to the gateway for exactly this, so that nobody is asked twice."""
    gate_pass: Annotated[str, Bound(min_length=1, max_length=200)] | None = msgspec.field(name="pass", default=None)
    """The gateway's own one-time token for exactly this, where a rule allows it."""


async def confirm_issue(equipment: Equipment, execution: Execution, params: ConfirmIssueParams) -> Result:
    meant = _meant(params, execution)
    intention = Intention(params.intent.method, params.intent.params, params_digest(params.intent.params))
    shown: Shown | None = None
    if params.gate_pass is not None:
        await equipment.confirmation.use_pass(params.gate_pass, intention.method, intention.digest)
    elif params.prompt_request_id is not None:
        await check_answer(equipment, params.prompt_request_id, intention)
    elif equipment.confirmation.mode == "human":
        window, element = await _aim(equipment, meant)
        await ask_person(equipment, execution, intention, window, element)
        shown = Shown.of(window, element)
    ttl = timedelta(milliseconds=params.ttl_ms)
    expires_at = utc_now() + ttl
    scope = Scope(execution.peer.digest, intention.method, intention.digest)
    return {
        "token": await equipment.confirmation.issue(scope, ttl.total_seconds(), shown),
        "expiresAt": stamp(expires_at),
        "scope": {"method": intention.method, "paramsDigest": short(intention.digest)},
        "peer": {"auditTokenDigest": execution.peer.short_digest, "pid": execution.peer.pid},
    }


def _meant(params: ConfirmIssueParams, execution: Execution) -> RoutedParams:
    """What would be called must make sense, before anybody is asked about it."""
    method = _ACTING.get(params.intent.method)
    if method is None:
        field = "params.intent.method"
        raise InvalidParams(f"{field}: this method needs no confirmation.", hint=", ".join(_ACTING), field=field)
    inner = {name: value for name, value in params.intent.params.items() if name not in ("meta", "confirm")}
    meta = msgspec.to_builtins(execution.meta)
    meant = read({**inner, "meta": meta}, method.params, "params.intent.params")
    assert isinstance(meant, ConfirmedParams)
    check_pattern(meant.route)
    if isinstance(meant, hotkey.HotkeyParams):
        combinations(meant.keys, "params.intent.params.keys")
    return meant


async def _aim(equipment: Equipment, meant: RoutedParams) -> tuple[Window, Element | None]:
    """What a person should see outlined; what is not there nobody is asked about."""
    sight = await equipment.sight()
    if isinstance(meant, DismissModalParams):
        routed, button = await dismiss_modal.aimed(equipment, meant)
        return routed.window, button
    if isinstance(meant, click.ClickParams):
        _, match = await sight.target(meant.target, meant.route)
        return match.window, match.found.element
    if isinstance(meant, type_text.TypeTextParams):
        routed, aimed = await type_text.aimed(sight, meant)
        return (aimed.window, aimed.found.element) if aimed is not None else (routed.window, None)
    return (await sight.routed(meant.route)).window, None


METHOD = Errand("desktop.confirm.issue", ConfirmIssueParams, confirm_issue, unrecorded=frozenset({"token"}))
