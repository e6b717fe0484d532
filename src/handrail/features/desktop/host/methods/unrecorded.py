"""desktop.health, doctor, abort and locate: methods that leave no evidence.

locate returns what a call would act on, before anyone has allowed it.
"""

from base64 import b64encode
from typing import Any

from handrail.features.desktop.desktop_port import LocatedElement, Readiness, Screenshot
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.execution import abort_all
from handrail.features.desktop.host.methods.intents import Intent, read_intent
from handrail.features.desktop.host.params import Name, Params, RoutedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import CheckedRequest, Result, Services, UnrecordedMethod
from handrail.features.desktop.host.surroundings import outline_frame, pointed_area, read_surroundings
from handrail.kernel.deadline import Deadline
from handrail.ports.errors import InvalidParams, PermissionMissing

SCHEMA_VERSION = 1


async def health(services: Services, request: CheckedRequest, params: Params) -> Result:
    async with Deadline("desktop.health", request.meta.timeout_ms):
        readiness = await services.source.readiness(is_fresh=False)
    return _health(services, request, readiness)


def cached_health(services: Services, request: CheckedRequest, params: Params) -> Result | None:
    readiness = services.source.recent_readiness()
    return None if readiness is None else _health(services, request, readiness)


def _health(services: Services, request: CheckedRequest, readiness: Readiness) -> Result:
    peer = request.caller.peer
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


HEALTH = UnrecordedMethod("desktop.health", Params, health, at_once=cached_health)


async def doctor(services: Services, request: CheckedRequest, params: Params) -> Result:
    async with Deadline("desktop.doctor", request.meta.timeout_ms):
        readiness = await services.source.readiness(is_fresh=True)
    peer = request.caller.peer
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


DOCTOR = UnrecordedMethod("desktop.doctor", Params, doctor)


class AbortParams(Params, frozen=True, kw_only=True):
    execution_id: Name
    """May also be the call's requestId or JSON-RPC id, because its caller learns the executionId only at the end."""


async def _abort(services: Services, request: CheckedRequest, params: AbortParams) -> Result:
    executions = services.executions.find(params.execution_id, request.workspace.location)
    if not executions:
        raise InvalidParams(
            f"params.executionId: no call of this workspace is running as {params.execution_id!r}.",
            field="params.executionId",
        )
    async with Deadline("desktop.abort", request.meta.timeout_ms):
        await abort_all(executions)
    return {"aborted": True, "executionId": executions[0].id}


ABORT = UnrecordedMethod("desktop.abort", AbortParams, _abort)


class LocateParams(RoutedParams, frozen=True, kw_only=True):
    """Parameters of desktop.locate."""

    intent: Intent | None = None
    """Without it, the result is the window of the route."""
    include_screenshot: bool = False


async def locate(services: Services, request: CheckedRequest, params: LocateParams) -> Result:
    intended = None if params.intent is None else read_intent(params.intent)
    async with Deadline("desktop.locate", request.meta.timeout_ms):
        if intended is None:
            return {"routeResolved": (await (await services.search()).resolve_route(params.route)).to_wire()}
        subject = await intended.subject(services)
        result: Result = {"routeResolved": subject.route}
        if subject.element is not None:
            result["element"] = services.refs.to_wire(subject.window, LocatedElement(subject.element, (), subject.path))
        if subject.point is not None:
            result["point"] = {"x": subject.point[0], "y": subject.point[1]}
        if params.include_screenshot:
            shot = await _screenshot(services, subject)
            if shot is not None:
                result["screenshot"] = b64encode(shot.png).decode()
            surroundings = await read_surroundings(await services.source.get(), subject, services.pictures, shot)
            result |= {
                "around": list(surroundings.lines),
                "seen": surroundings.fingerprint,
                "isInFront": subject.window.is_front,
            }
            result["isFocusSecret"] = surroundings.is_focus_secret
        return result


async def _screenshot(services: Services, subject: Subject) -> Screenshot | None:
    """Takes a screenshot with the target outlined; None if the session allows no screenshots."""
    try:
        desktop = await services.source.get()
        return await screenshots.take_screenshot(
            desktop, outlined=outline_frame(subject), cropped=pointed_area(subject)
        )
    except PermissionMissing:
        return None


LOCATE = UnrecordedMethod("desktop.locate", LocateParams, locate)
