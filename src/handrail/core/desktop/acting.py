"""The way of every method that acts: confirmed, recorded, delivered by one pair of hands, looked at afterwards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.contract.desktop import Actor, Delivery, Desktop, Element, Rect, Window
from handrail.contract.errors import Failure, Internal, PermissionMissing
from handrail.contract.tokens import Scope
from handrail.core.desktop.confirmation import Consent, refused
from handrail.core.desktop.effects import Watch, watching
from handrail.core.desktop.equipment import Equipment
from handrail.core.desktop.executions import Execution
from handrail.core.desktop.params import ConfirmedParams, Route


async def confirmed(equipment: Equipment, execution: Execution, params: ConfirmedParams) -> Consent:
    """Uses the confirmation up, durably, before anything else is done with it."""
    if params.confirm is None:
        raise refused("missing", "This method acts, and needs confirm.token.")
    scope = Scope(execution.peer.digest, execution.method, execution.params_digest)
    consent = await equipment.confirmation.consume(params.confirm, scope)
    said = {"approvedAt": params.confirm.approved_at, "approver": params.confirm.approver}
    execution.record.note("confirmed", by=consent.by, **{name: text for name, text in said.items() if text is not None})
    return consent


class Deed:
    """One action on one window: what it was delivered by, and what came of it."""

    def __init__(self, desktop: Desktop, execution: Execution, watch: Watch) -> None:
        self._desktop = desktop
        self._execution = execution
        self._watch = watch
        self.evidence: dict[str, str] = {"dir": execution.record.dir}

    async def outcome(self, delivery: Delivery | None) -> dict[str, Any]:
        """`effect`, `changed`, and the picture after it. What is done is done: nothing here fails any more."""
        changed = await self._watch.outcome()
        if (shot := await picture(self._desktop, self._execution, "after.png")) is not None:
            self.evidence["afterScreenshot"] = shot
        self._execution.record.note("effect", changed=len(changed))
        told: dict[str, Any] = {"effect": "seen" if changed else "not_seen", "changed": changed}
        if delivery is not None:
            told["delivery"] = delivery.by
            if delivery.is_verified is not None:
                told["verified"] = delivery.is_verified
        return told


@asynccontextmanager
async def deed(
    equipment: Equipment, execution: Execution, window: Window, outlined: Element | None = None
) -> AsyncIterator[Deed]:
    """Inside, the hands are ours and what it looked like before is on disk; otherwise nothing may be sent."""
    desktop = await equipment.source.get()
    async with equipment.hands, watching(desktop, window) as watch:
        frame = outlined.frame if outlined is not None else None
        before = await picture(desktop, execution, "before.png", frame)
        execution.record.note("acting", window=window.title, app=window.app_id)
        await execution.record.save()
        current = Deed(desktop, execution, watch)
        if before is not None:
            current.evidence["beforeScreenshot"] = before
        execution.has_acted = True
        yield current


async def picture(desktop: Desktop, execution: Execution, name: str, outlined: Rect | None = None) -> str | None:
    """A session that shows no picture can still be acted in, and its evidence says so."""
    try:
        shot = await desktop.shot(outlined=outlined)
    except PermissionMissing as missing:
        execution.record.note("noPicture", name=name, why=missing.message)
        return None
    except Failure as failure:
        if not execution.has_acted:
            raise
        execution.record.note("noPicture", name=name, why=failure.message)
        return None
    return execution.record.add(name, shot.png)


async def bring_forward(actor: Actor, window: Window, route: Route | None, *, is_needed: bool) -> bool:
    """Whether the window has the input now, as far as the route lets us see to it."""
    policy = route.focus_policy if route is not None else "focusIfNeeded"
    if policy == "always" or (policy == "focusIfNeeded" and is_needed and not window.is_front):
        return await actor.bring_to_front(window)
    return window.is_front


def unreachable(window: Window) -> Internal:
    return Internal(
        f"The window {window.title!r} can't be brought to the front, so nothing was sent.",
        hint="Is a window manager running? With focusPolicy never, the window must be in front already.",
    )
