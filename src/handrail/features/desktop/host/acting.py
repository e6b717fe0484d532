"""The way of every method that acts: confirmed, recorded, delivered by one pair of hands, looked at afterwards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.features.desktop.host.aiming import Aim
from handrail.features.desktop.host.confirmation import Consent
from handrail.features.desktop.host.effects import Watch, watching
from handrail.features.desktop.host.equipment import Equipment
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import ConfirmedParams, Route
from handrail.features.desktop.platform import Delivery, Desktop, Rect, Window
from handrail.ports.errors import Failure, Internal, PermissionMissing
from handrail.ports.tokens import Scope


async def confirmed(equipment: Equipment, execution: Execution, params: ConfirmedParams) -> Consent:
    """Uses the confirmation up, durably, before anything else is done with it."""
    given = equipment.confirmation.read(params.confirm, execution.meta.request_id)
    scope = Scope(execution.peer.digest, execution.method, execution.params_digest)
    consent = await equipment.confirmation.consume(given, scope)
    said = {"approvedAt": given.approved_at, "approver": given.approver}
    execution.record.note("confirmed", by=consent.by, **{name: text for name, text in said.items() if text is not None})
    return consent


class Deed:
    """One action on one window: what it was delivered by, and what came of it."""

    def __init__(self, aim: Aim, desktop: Desktop, execution: Execution, watch: Watch) -> None:
        self.window, self.element = aim.window, aim.element
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
    equipment: Equipment, execution: Execution, consent: Consent, aim: Aim, route: Route | None, *, needs_front: bool
) -> AsyncIterator[Deed]:
    """Inside, the hands are ours, what it looked like before is on disk, and the aim is what was meant and allowed.

    Time passes until the hands are free, and on the way to the disk: all is looked at again after that.
    """
    aim.check(consent)
    desktop = await equipment.source.get()
    async with equipment.hands, watching(desktop, aim.window) as watch:
        before = await picture(desktop, execution, "before.png", aim.element.frame if aim.element is not None else None)
        execution.record.note("acting", window=aim.window.title, app=aim.window.app_id)
        await execution.record.save()
        aim = await aim.again(desktop)
        aim.check(consent)
        if _is_brought_forward(route, needs_front=needs_front):
            aim = await _in_front(desktop, execution, consent, aim, needs_front=needs_front)
        elif needs_front and not aim.window.is_front:
            raise _unreachable(aim.window)
        current = Deed(aim, desktop, execution, watch)
        if before is not None:
            current.evidence["beforeScreenshot"] = before
        execution.has_acted = True
        yield current


def _is_brought_forward(route: Route | None, *, needs_front: bool) -> bool:
    policy = route.focus_policy if route is not None else "focusIfNeeded"
    return policy == "always" or (policy == "focusIfNeeded" and needs_front)


async def _in_front(desktop: Desktop, execution: Execution, consent: Consent, aim: Aim, *, needs_front: bool) -> Aim:
    """Asked for also where it was in front when it was looked at: that may be over."""
    was_front = aim.window.is_front
    execution.has_acted = not was_front  # its app notices that it is raised
    if not await desktop.bring_to_front(aim.window) and needs_front:
        raise _unreachable(aim.window)
    if was_front:
        return aim
    aim = await aim.again(desktop)  # to come to the front takes a while
    aim.check(consent)
    return aim


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


def _unreachable(window: Window) -> Internal:
    return Internal(
        f"The window {window.title!r} can't be brought to the front, so nothing was sent.",
        hint="Is a window manager running? With focusPolicy never, the window must be in front already.",
    )
