"""What all methods that act have in common: confirm, record, act while holding the input lock, look at the effect."""

from handrail.features.desktop.host import screen_picture
from handrail.features.desktop.host.confirmation import Consent, refused
from handrail.features.desktop.host.effects import Watch, watching
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.own_windows import UNTOLD, why_closed
from handrail.features.desktop.host.params import ConfirmedParams, Route
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Deed, Result, Services
from handrail.features.desktop.host.surroundings import Pictures, check_around, is_alike, place_of
from handrail.features.desktop.platform import Desktop, Found, Rect, Shot, Window
from handrail.ports.errors import Failure, Internal, PermissionMissing, ShownChanged

BEFORE, AFTER = "before.png", "after.png"


async def act(services: Services, execution: Execution, action: Action, params: ConfirmedParams) -> Result:
    """The picture from before is on disk before anything is sent.

    Waiting for the input lock and for the disk takes time, so the target is checked again afterwards.
    """
    action.check(params, "params")
    consent = await _confirmed(services, execution, params)
    subject = await action.subject(services, params)
    subject.check(consent)
    desktop, evidence = await services.source.get(), {"dir": execution.record.dir}
    async with services.input_lock, watching(desktop, subject.window) as watch:
        if await _before(desktop, execution, subject):
            evidence["beforeScreenshot"] = BEFORE
        execution.record.note("acting", window=subject.window.title, app=subject.window.app_id)
        await execution.record.save()
        if consent.by != "gateway":
            decision = f"confirmed by {consent.by}"
            await services.audit.add(
                execution.audited("begin", target=subject.window.app_id, decision=decision), durable=True
            )
            execution.is_audited = True
        subject = await subject.again(desktop)
        subject.check(consent)
        subject = await _reachable(desktop, execution, consent, subject, params.route, action.needs_front(subject))
        await _check_around(desktop, subject, services.pictures, consent, params)
        looked = await _pixels(desktop, subject, watch)
        execution.has_acted = True
        delivery = await action.deliver(desktop, execution, subject, params)
        changed = await watch.outcome()
        if await _shows_handrail(desktop, subject):
            changed = []
        elif not changed and looked is not None and await _looks_different(desktop, subject, looked):
            changed = [{"what": "picture", "title": subject.window.title}]
        # What is done is done: nothing fails any more.
        if await picture(desktop, execution, AFTER):
            evidence["afterScreenshot"] = AFTER
    execution.record.note("effect", changed=len(changed))
    result: Result = {action.done: True, "effect": "seen" if changed else "not_seen", "changed": changed}
    if delivery is not None:
        result["delivery"] = delivery.by
        if delivery.is_verified is not None:
            result["verified"] = delivery.is_verified
    if subject.element is not None:
        result["element"] = services.refs.spelled(subject.window, Found(subject.element, (), subject.path))
    return {**result, "routeResolved": subject.route, "evidence": evidence}


async def do(services: Services, execution: Execution, deed: Deed, params: ConfirmedParams) -> Result:
    """Without a window: the confirmation is used up and on record before anything happens."""
    consent = await _confirmed(services, execution, params)
    execution.record.note("acting", on=deed.about(params))
    await execution.record.save()
    if consent.by != "gateway":
        decision = f"confirmed by {consent.by}"
        await services.audit.add(execution.audited("begin", target=deed.about(params), decision=decision), durable=True)
        execution.is_audited = True
    execution.has_acted = True
    return {**await deed.run(services, execution, params), "evidence": {"dir": execution.record.dir}}


async def _check_around(
    desktop: Desktop, subject: Subject, pictures: Pictures, consent: Consent, params: ConfirmedParams
) -> None:
    """A gate that has asked says what was shown, and asks again; who has a token of ours gets another one first."""
    if consent.seen is None:
        return await check_around(desktop, subject, pictures, params.shown)
    try:
        await check_around(desktop, subject, pictures, consent.seen.around)
    except ShownChanged as changed:
        raise refused("params", changed.message, changed=True) from None


async def picture(
    desktop: Desktop, execution: Execution, name: str, outlined: Rect | None = None, *, cropped: Rect | None = None
) -> Shot | None:
    """None, with a note in the trace, if the session allows no screenshots."""
    try:
        shot = await screen_picture.take(desktop, outlined=outlined, cropped=cropped)
    except PermissionMissing as missing:
        execution.record.note("noPicture", name=name, why=missing.message)
        return None
    except Failure as failure:
        if not execution.has_acted:
            raise
        execution.record.note("noPicture", name=name, why=failure.message)
        return None
    execution.record.add(name, shot.png)
    return shot


async def _confirmed(services: Services, execution: Execution, params: ConfirmedParams) -> Consent:
    """Uses up the confirmation durably before anything else happens."""
    given = services.confirmation.read(params.confirm, execution.meta.request_id)
    consent = await services.confirmation.consume(given, execution.peer, execution.method, execution.params_digest)
    said = {"approvedAt": given.approved_at, "approver": given.approver}
    execution.record.note("confirmed", by=consent.by, **{name: text for name, text in said.items() if text is not None})
    return consent


async def _before(desktop: Desktop, execution: Execution, subject: Subject) -> bool:
    """If the gateway has asked a person, the picture that it showed is there already."""
    if execution.record.has(BEFORE):
        return True
    return await picture(desktop, execution, BEFORE, place_of(subject)) is not None


async def _reachable(
    desktop: Desktop, execution: Execution, consent: Consent, subject: Subject, route: Route | None, needs_front: bool
) -> Subject:
    """Raises the window if the input goes to the one in front, even if it was in front a moment ago."""
    policy = route.focus_policy if route is not None else "focusIfNeeded"
    if policy == "never" or (policy == "focusIfNeeded" and not needs_front):
        if needs_front and not subject.window.is_front:
            raise _unreachable(subject.window)
        return subject
    was_front = subject.window.is_front
    execution.has_acted = not was_front  # its app notices that it is raised
    if not await desktop.bring_to_front(subject.window) and needs_front:
        raise _unreachable(subject.window)
    if was_front:
        return subject
    subject = await subject.again(desktop)  # to come to the front takes a while
    subject.check(consent)
    return subject


async def _pixels(desktop: Desktop, subject: Subject, watch: Watch) -> Shot | None:
    """Of a window that can't tell of changes, or not in time: there a different look is all that shows one."""
    is_told = subject.window.is_readable and not watch.may_be_blind
    if is_told or subject.window.frame is None:
        return None
    try:
        return await desktop.shot(subject.window.frame, cropped=subject.window.frame)
    except Failure:
        return None


async def _looks_different(desktop: Desktop, subject: Subject, before: Shot) -> bool:
    try:
        now = await desktop.shot(before.area, cropped=before.area)
    except Failure:
        return False
    return bool(before.crop) and not is_alike(before.crop, now.crop, before.area.width)


async def _shows_handrail(desktop: Desktop, subject: Subject) -> bool:
    """The act may have led to one of our own pages, of which nothing is told."""
    try:
        return await why_closed(desktop, subject.window, subject.everything) not in (None, UNTOLD)
    except Failure:
        return False


def _unreachable(window: Window) -> Internal:
    return Internal(
        f"The window {window.title!r} can't be brought to the front, so nothing was sent.",
        hint="Is a window manager running? With focusPolicy never, the window must be in front already.",
    )
