"""Runs actions: confirms, records, acts while holding the input lock, and observes the effect."""

from handrail.features.desktop.desktop_port import DesktopPort, LocatedElement, Rect, Screenshot, Window
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.confirmation import Consent, confirmation_refused
from handrail.features.desktop.host.effects import Watch, watch_changes
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.own_windows import UNKNOWN_PAGE, stop_at_own_page, why_off_limits
from handrail.features.desktop.host.params import Params, Route, RoutedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Result, Services, WindowlessAction
from handrail.features.desktop.host.surroundings import ShownPictures, check_surroundings, looks_alike, outline_frame
from handrail.ports.errors import Failure, Internal, PermissionMissing, ShownChanged

BEFORE, AFTER = "before.png", "after.png"


async def run_action(services: Services, execution: Execution, action: Action, params: RoutedParams) -> Result:
    """Runs an action on a window. The screenshot from before is on disk before anything is sent.

    Waiting for the input lock and the disk takes time, so the target is checked again afterwards.
    """
    action.check(params, "params")
    consent = await _consume_confirmation(services, execution)
    subject = await action.subject(services, params)
    subject.check(consent)
    desktop, evidence = await services.source.get(), {"dir": execution.record.dir}
    async with services.input_lock, watch_changes(desktop, subject.window) as watch:
        if await _record_before(desktop, execution, subject):
            evidence["beforeScreenshot"] = BEFORE
        execution.record.note("acting", window=subject.window.title, app=subject.window.app_id)
        await execution.record.save()
        if consent.by != "gateway":
            decision = f"confirmed by {consent.by}"
            await services.audit.add(
                execution.audit_record("begin", target=subject.window.app_id, decision=decision), durable=True
            )
            execution.is_audited = True
        subject = await subject.refresh(desktop)
        subject.check(consent)
        subject = await _prepare_window(desktop, execution, consent, subject, params.route, action.needs_front(subject))
        await _check_surroundings(desktop, subject, services.pictures, consent, execution.shown)
        pixels_before = await _read_pixels(desktop, subject, watch)
        execution.has_acted = True
        delivery = await stop_at_own_page(
            desktop, subject.window, subject.all_windows, action.deliver(desktop, execution, subject, params)
        )
        changed = await watch.outcome()
        if await _shows_handrail(desktop, subject):
            changed = []
        elif not changed and pixels_before is not None and await _has_changed_visibly(desktop, subject, pixels_before):
            changed = [{"what": "picture", "title": subject.window.title}]
        # The action has happened, so nothing may fail from here on.
        if await record_screenshot(desktop, execution, AFTER):
            evidence["afterScreenshot"] = AFTER
    execution.record.note("effect", changed=len(changed))
    result: Result = {action.done: True, "effect": "seen" if changed else "not_seen", "changed": changed}
    if delivery is not None:
        result["delivery"] = delivery.by
        if delivery.is_verified is not None:
            result["verified"] = delivery.is_verified
    if subject.element is not None:
        result["element"] = services.refs.to_wire(subject.window, LocatedElement(subject.element, (), subject.path))
    return {**result, "routeResolved": subject.route, "evidence": evidence}


async def run_windowless_action(
    services: Services, execution: Execution, action: WindowlessAction, params: Params
) -> Result:
    """Runs an action without a window. The confirmation is used up and recorded before anything happens."""
    consent = await _consume_confirmation(services, execution)
    execution.record.note("acting", on=action.about(params))
    await execution.record.save()
    if consent.by != "gateway":
        decision = f"confirmed by {consent.by}"
        await services.audit.add(
            execution.audit_record("begin", target=action.about(params), decision=decision), durable=True
        )
        execution.is_audited = True
    execution.has_acted = True
    return {**await action.run(services, execution, params), "evidence": {"dir": execution.record.dir}}


async def _check_surroundings(
    desktop: DesktopPort, subject: Subject, pictures: ShownPictures, consent: Consent, shown: str | None
) -> None:
    """If the gate has asked a person, it will ask again; a caller with a token of ours must get a new one."""
    if consent.shown_context is None:
        return await check_surroundings(desktop, subject, pictures, shown)
    try:
        await check_surroundings(desktop, subject, pictures, consent.shown_context.surroundings)
    except ShownChanged as changed:
        raise confirmation_refused("params", changed.message, changed=True) from None


async def record_screenshot(
    desktop: DesktopPort, execution: Execution, name: str, outlined: Rect | None = None, *, cropped: Rect | None = None
) -> Screenshot | None:
    """Takes a screenshot as evidence. Returns None, with a note in the trace, if the session allows none."""
    try:
        shot = await screenshots.take_screenshot(desktop, outlined=outlined, cropped=cropped)
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


async def _consume_confirmation(services: Services, execution: Execution) -> Consent:
    """Uses up the confirmation, durably, before anything else happens."""
    confirm = services.confirmation.read(execution.confirm, execution.meta.request_id)
    consent = await services.confirmation.consume(confirm, execution.peer, execution.method, execution.params_digest)
    claims = {"approvedAt": confirm.approved_at, "approver": confirm.approver}
    execution.record.note(
        "confirmed", by=consent.by, **{name: text for name, text in claims.items() if text is not None}
    )
    return consent


async def _record_before(desktop: DesktopPort, execution: Execution, subject: Subject) -> bool:
    """Takes the screenshot from before, unless the gate has already stored the one that it showed to a person."""
    if execution.record.has(BEFORE):
        return True
    return await record_screenshot(desktop, execution, BEFORE, outline_frame(subject)) is not None


async def _prepare_window(
    desktop: DesktopPort,
    execution: Execution,
    consent: Consent,
    subject: Subject,
    route: Route | None,
    needs_front: bool,
) -> Subject:
    """Brings the window to the front if the input needs that, even if it was in front a moment ago."""
    policy = route.focus_policy if route is not None else "focusIfNeeded"
    if policy == "never" or (policy == "focusIfNeeded" and not needs_front):
        if needs_front and not subject.window.is_front:
            raise _cannot_raise_window(subject.window)
        return subject
    was_front = subject.window.is_front
    execution.has_acted = not was_front  # its app notices that it is brought to the front
    if not await desktop.bring_to_front(subject.window) and needs_front:
        raise _cannot_raise_window(subject.window)
    if was_front:
        return subject
    subject = await subject.refresh(desktop)  # coming to the front takes a while
    subject.check(consent)
    return subject


async def _read_pixels(desktop: DesktopPort, subject: Subject, watch: Watch) -> Screenshot | None:
    """Reads the pixels of a window that can't report changes in time: only pixels can show a change there."""
    is_reported = subject.window.is_readable and not watch.may_miss_changes
    if is_reported or subject.window.frame is None:
        return None
    try:
        return await desktop.screenshot(subject.window.frame, cropped=subject.window.frame)
    except Failure:
        return None


async def _has_changed_visibly(desktop: DesktopPort, subject: Subject, before: Screenshot) -> bool:
    try:
        after = await desktop.screenshot(before.area, cropped=before.area)
    except Failure:
        return False
    return bool(before.crop) and not looks_alike(before.crop, after.crop, before.area.width)


async def _shows_handrail(desktop: DesktopPort, subject: Subject) -> bool:
    """Returns whether the action has led to a handrail page, about which nothing may be reported."""
    try:
        return await why_off_limits(desktop, subject.window, subject.all_windows) not in (None, UNKNOWN_PAGE)
    except Failure:
        return False


def _cannot_raise_window(window: Window) -> Internal:
    return Internal(
        f"The window {window.title!r} can't be brought to the front, so nothing was sent.",
        hint="Is a window manager running? With focusPolicy never, the window must already be in front.",
    )
