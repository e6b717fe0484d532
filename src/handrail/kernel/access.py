"""What a person does about who may do what, as the audit keeps it: sign-ins, consents taken back, tokens renewed."""

from collections.abc import Mapping
from typing import Any

from handrail.kernel.audit import Audit
from handrail.ports.identity import Caller


async def record_access(audit: Audit, by: Caller, done: str, presence: Mapping[str, Any] | None = None) -> None:
    """Returns once it is on disk. `done` names things by their ids, without secrets; `presence` proves who did it."""
    proof = {} if presence is None else {"presence": dict(presence)}
    await audit.add({"event": "access", "caller": str(by), "target": done, "ok": True, **proof}, durable=True)
