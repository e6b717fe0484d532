"""desktop.doctor: what is missing on this machine, and how to turn it on."""

from typing import Any

from handrail.features.desktop.host.params import Params
from handrail.features.desktop.host.services import Inquiry, Result, Services, Visit
from handrail.kernel.deadline import Deadline


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


METHOD = Inquiry("desktop.doctor", Params, doctor)
