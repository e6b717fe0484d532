"""desktop.health: that the host lives, what it may do here, and whom it takes the caller for."""

from handrail.features.desktop.host.params import Params
from handrail.features.desktop.host.services import Inquiry, Result, Services, Visit
from handrail.features.desktop.platform import Readiness
from handrail.kernel.deadline import Deadline

SCHEMA_VERSION = 1


async def health(services: Services, visit: Visit, params: Params) -> Result:
    async with Deadline("desktop.health", params.meta.timeout_ms):
        readiness = await services.source.readiness(is_fresh=False)
    return _told(services, visit, readiness)


def known_health(services: Services, visit: Visit, params: Params) -> Result | None:
    readiness = services.source.known_readiness()
    return None if readiness is None else _told(services, visit, readiness)


def _told(services: Services, visit: Visit, readiness: Readiness) -> Result:
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


METHOD = Inquiry("desktop.health", Params, health, at_once=known_health)
