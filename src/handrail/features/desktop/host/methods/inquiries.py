"""desktop.health, doctor, abort and locate: they leave no evidence.

locate shows what a call would act on before anybody has allowed it.
"""

from base64 import b64encode
from typing import Any

from handrail.features.desktop.host import screen_picture
from handrail.features.desktop.host.execution import abort_all
from handrail.features.desktop.host.methods.intents import Intent, read_intent
from handrail.features.desktop.host.params import Name, Params, RoutedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Inquiry, Result, Services, Visit
from handrail.features.desktop.host.surroundings import around, place_of, pointed_area
from handrail.features.desktop.platform import Found, Readiness, Shot
from handrail.kernel.deadline import Deadline
from handrail.ports.errors import InvalidParams, PermissionMissing

SCHEMA_VERSION = 1


async def health(services: Services, visit: Visit, params: Params) -> Result:
    async with Deadline("desktop.health", params.meta.timeout_ms):
        readiness = await services.source.readiness(is_fresh=False)
    return _health(services, visit, readiness)


def known_health(services: Services, visit: Visit, params: Params) -> Result | None:
    readiness = services.source.known_readiness()
    return None if readiness is None else _health(services, visit, readiness)


def _health(services: Services, visit: Visit, readiness: Readiness) -> Result:
    peer = visit.caller.peer
    is_mac = readiness.os.startswith("macOS")
    return {
        "hostVersion": services.version,
        "macos": readiness.os.removeprefix("macOS").strip() if is_mac else "",
        "os": readiness.os,
        "session": readiness.session,
        "permissions": {
            "accessibility": "granted" if readiness.can_read else "denied",
            "screenRecording": "granted" if readiness.can_look else "denied",
            "input": "granted" if readiness.can_act else "denied",
        },
        "bridge": {"schemaVersion": SCHEMA_VERSION, "confirmMode": services.confirmation.mode},
        "peer": {"pid": peer.pid, "auditTokenDigest": peer.short_digest},
    }


HEALTH = Inquiry("desktop.health", Params, health, at_once=known_health)


async def doctor(services: Services, visit: Visit, params: Params) -> Result:
    async with Deadline("desktop.doctor", params.meta.timeout_ms):
        readiness = await services.source.readiness(is_fresh=True)
    peer = visit.caller.peer
    return {
        "permissions": {
            "accessibility": _permission(readiness.can_read, "AX observe/find/action"),
            "screenRecording": _permission(readiness.can_look, "Screenshot capture"),
            "input": _permission(readiness.can_act, "Pointer and keyboard"),
        },
        "issues": [issue.message for issue in readiness.issues],
        "fixes": [{"about": issue.about, "issue": issue.message, "fix": issue.fix} for issue in readiness.issues],
        "healthy": readiness.can_read and readiness.can_look and readiness.can_act,
        "os": readiness.os,
        "session": readiness.session,
        "peer": {"pid": peer.pid, "auditTokenDigest": peer.short_digest},
    }


def _permission(is_granted: bool, purpose: str) -> dict[str, Any]:
    return {"granted": is_granted, "required": True, "purpose": purpose}


DOCTOR = Inquiry("desktop.doctor", Params, doctor)


class AbortParams(Params, frozen=True, kw_only=True):
    execution_id: Name
    """Or the running call's requestId, or its JSON-RPC id: its caller learns the executionId only at the end."""


async def _abort(services: Services, visit: Visit, params: AbortParams) -> Result:
    running = services.executions.named(params.execution_id, visit.workspace.location)
    if not running:
        raise InvalidParams(
            f"params.executionId: nothing of this name is running in this workspace: {params.execution_id!r}.",
            field="params.executionId",
        )
    async with Deadline("desktop.abort", params.meta.timeout_ms):
        await abort_all(running)
    return {"aborted": True, "executionId": running[0].id}


ABORT = Inquiry("desktop.abort", AbortParams, _abort)


class LocateParams(RoutedParams, frozen=True, kw_only=True):
    """desktop.locate: what a call would act on, with a picture. It leaves no evidence: nobody has allowed it yet."""

    intent: Intent | None = None
    """Without it, the window that the route means."""
    include_screenshot: bool = False


async def locate(services: Services, visit: Visit, params: LocateParams) -> Result:
    intended = None if params.intent is None else read_intent(params.intent, params.meta)
    async with Deadline("desktop.locate", params.meta.timeout_ms):
        if intended is None:
            return {"routeResolved": (await (await services.search()).routed(params.route)).spelled()}
        subject = await intended.subject(services)
        result: Result = {"routeResolved": subject.route}
        if subject.element is not None:
            result["element"] = services.refs.spelled(subject.window, Found(subject.element, (), subject.path))
        if subject.point is not None:
            result["point"] = {"x": subject.point[0], "y": subject.point[1]}
        if params.include_screenshot:
            shot = await _picture(services, subject)
            if shot is not None:
                result["screenshot"] = b64encode(shot.png).decode()
            seen = await around(await services.source.get(), subject, services.pictures, shot)
            result |= {"around": list(seen.lines), "seen": seen.seen, "isInFront": subject.window.is_front}
            result["isFocusSecret"] = seen.is_focus_secret
        return result


async def _picture(services: Services, subject: Subject) -> Shot | None:
    """The screen, with the element outlined; None in a session that shows no picture."""
    try:
        desktop = await services.source.get()
        return await screen_picture.take(desktop, outlined=place_of(subject), cropped=pointed_area(subject))
    except PermissionMissing:
        return None


LOCATE = Inquiry("desktop.locate", LocateParams, locate)
