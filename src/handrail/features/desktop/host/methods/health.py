"""desktop.health: that the host lives, what it may do here, and whom it takes the caller for."""

from handrail.features.desktop.host.equipment import Equipment, Inquiry, Result, Visit
from handrail.features.desktop.host.params import Params
from handrail.features.desktop.platform import Readiness
from handrail.kernel.deadline import Deadline

SCHEMA_VERSION = 1


async def health(equipment: Equipment, visit: Visit, params: Params) -> Result:
    async with Deadline("desktop.health", params.meta.timeout_ms):
        readiness = await equipment.source.readiness(is_fresh=False)
    return _told(equipment, visit, readiness)


def known_health(equipment: Equipment, visit: Visit, params: Params) -> Result | None:
    readiness = equipment.source.known_readiness()
    return None if readiness is None else _told(equipment, visit, readiness)


def _told(equipment: Equipment, visit: Visit, readiness: Readiness) -> Result:
    peer = visit.caller.peer
    is_mac = readiness.os.startswith("macOS")
    return {
        "hostVersion": equipment.version,
        "macos": readiness.os.removeprefix("macOS").strip() if is_mac else "",
        "os": readiness.os,
        "session": readiness.session,
        "permissions": {
            "accessibility": "granted" if readiness.can_read else "denied",
            "screenRecording": "granted" if readiness.can_look else "denied",
            "input": "granted" if readiness.can_act else "denied",
        },
        "bridge": {"schemaVersion": SCHEMA_VERSION, "confirmMode": equipment.confirmation.mode},
        "peer": {"pid": peer.pid, "auditTokenDigest": peer.short_digest},
    }


METHOD = Inquiry("desktop.health", Params, health, at_once=known_health)
