"""Carries out what a model wishes for: through the gate like everybody's calls, and never a side effect twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.contract.agent import Mode
from handrail.contract.call import Call, Caller, Progress
from handrail.contract.errors import Failure, InvalidParams
from handrail.contract.model import Returned, ToolUse
from handrail.core import strict_json
from handrail.core.agent.offers import is_offered
from handrail.core.agent.wording import refused, worded
from handrail.core.audit import Audit
from handrail.core.evidence import Evidence
from handrail.core.gate import Gate

MAX_ARGUMENTS = 8 * 1024 * 1024
_MAX_RESULT = 4 * 1024 * 1024
_NOBODY_KNOWS = (
    "handrail was cut off while this was under way: whether it was carried out is not known. The person is told. "
    "Look at how things stand before you do it again."
)


@dataclass(frozen=True, slots=True)
class Fate:
    """What the audit knows of calls that were wished for before a crash, by their execution ids."""

    ended: Mapping[str, Mapping[str, Any]]
    begun: frozenset[str]


class Hands:
    def __init__(self, gate: Gate, audit: Audit, evidence: Evidence) -> None:
        self._gate = gate
        self._audit = audit
        self._evidence = evidence

    async def use(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> Returned:
        """An error is an outcome too: the model reads it and goes on."""
        registry = self._gate.registry
        try:
            entry = registry.find(use.name)
            if not is_offered(registry, use.name, mode):
                raise InvalidParams(
                    f"{use.name} is not there in {mode} mode.", hint="Write the plan; the person confirms it first."
                )
            params = strict_json.decode((use.arguments or "{}").encode(), max_bytes=MAX_ARGUMENTS)
            call = Call(use.name, params, caller, task_id, progress=progress, execution_id=use.execution_id)
            reply = await self._gate.run(call)
        except Failure as failure:
            return Returned(use.id, use.execution_id, use.name, refused(failure), is_error=True)
        return Returned(use.id, use.execution_id, use.name, worded(entry.surface.name, use.name, reply, None))

    def fate(self, uses: Sequence[ToolUse]) -> Fate:
        wanted = {use.execution_id for use in uses}
        ended: dict[str, Mapping[str, Any]] = {}
        begun: set[str] = set()
        for record in self._audit.entries():
            if (execution := record.get("executionId")) in wanted:
                if record.get("event") == "end":
                    ended[execution] = record
                elif record.get("event") == "begin":
                    begun.add(execution)
        return Fate(ended, frozenset(begun))

    def after_crash(self, use: ToolUse, fate: Fate) -> Returned | None:
        """None: it was not begun, or changes nothing, and can be done now."""
        if (record := fate.ended.get(use.execution_id)) is not None and "evidence" in record:
            return Returned(use.id, use.execution_id, use.name, self._result(record), is_error=not record.get("ok"))
        if use.execution_id in fate.begun:
            return Returned(use.id, use.execution_id, use.name, _NOBODY_KNOWS, is_error=True)
        return None

    def is_unknown(self, use: ToolUse, fate: Fate) -> bool:
        return use.execution_id in fate.begun and use.execution_id not in fate.ended

    def _result(self, record: Mapping[str, Any]) -> str:
        """From the evidence: it was written before the audit said that the call had ended."""
        evidence = record["evidence"]
        try:
            kept = msgspec.json.decode(self._evidence.read(evidence["dir"], "result.json", _MAX_RESULT))
        except (Failure, msgspec.DecodeError, KeyError):
            kept = {"ok": record.get("ok")}
        return "Done before handrail was restarted: " + msgspec.json.encode(kept).decode()
