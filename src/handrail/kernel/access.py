"""Records in the audit what a person changes about access: sign-ins, revoked consents, renewed tokens."""

from collections.abc import Mapping
from typing import Any

from handrail.kernel.audit import Audit
from handrail.ports.identity import Caller


async def record_access(audit: Audit, by: Caller, action: str, presence: Mapping[str, Any] | None = None) -> None:
    """Returns once it is on disk. `action` contains ids and no secrets; `presence` proves that a person did it."""
    proof = {} if presence is None else {"presence": dict(presence)}
    await audit.add({"event": "access", "caller": str(by), "target": action, "ok": True, **proof}, durable=True)
