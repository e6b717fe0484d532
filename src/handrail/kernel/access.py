"""What a person does about who may do what, as the audit keeps it: sign-ins, consents taken back, tokens renewed."""

from handrail.kernel.audit import Audit
from handrail.ports.identity import Caller


async def record_access(audit: Audit, by: Caller, done: str) -> None:
    """`done` names things by their ids, and no secret. Returns once it is on disk."""
    await audit.add({"event": "access", "caller": str(by), "target": done, "ok": True}, durable=True)
