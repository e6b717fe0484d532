"""Finds out from audit and evidence what happened to tool calls that a crash, restart or stop interrupted."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from handrail.features.agent.pictures import pictures_in
from handrail.features.agent.texts import trimmed, untrusted
from handrail.features.agent.turns import unsettled
from handrail.kernel.audit import Audit
from handrail.kernel.content import Image
from handrail.kernel.evidence import Evidence
from handrail.ports.errors import Failure
from handrail.ports.model import ToolResult, ToolUse, Turn

_MAX_RESULT = 4 * 1024 * 1024
_PICTURE = re.compile(r"picture-\d+\.\w+")
"""A picture of the reply, in records that don't name them."""
_UNKNOWN = (
    "This was cut off while it was under way: whether it was carried out is not known. The person is told. "
    "Look at how things stand before you do it again."
)
_NOT_DONE = "This was stopped before it was carried out."
_WRITTEN = "This was carried out before handrail was cut off: the file has exactly the content that was approved."


@dataclass(frozen=True, slots=True)
class PastCalls:
    """How calls ended, and which of them had started to change something, by execution id."""

    ended: Mapping[str, Mapping[str, Any]]
    begun: Mapping[str, Mapping[str, Any]]
    written: Mapping[str, bool] = field(default_factory=dict)
    """Of writes without an end on record, whether the file shows that they were carried out."""

    def is_unknown(self, use: ToolUse) -> bool:
        """It had started, has no end on record, and no file shows how it ended."""
        return self.is_open(use.execution_id) and use.execution_id not in self.written

    def is_open(self, execution: str) -> bool:
        record = self.ended.get(execution)
        return execution in self.begun and (record is None or _was_stopped(record))


class Recovery:
    """`hash_of` is the hash of a file of the project as it is now."""

    def __init__(self, audit: Audit, evidence: Evidence, hash_of: Callable[[str], str]) -> None:
        self._audit = audit
        self._evidence = evidence
        self._hash_of = hash_of

    def past_calls(self, uses: Sequence[ToolUse]) -> PastCalls:
        """Reads the audit backwards until all of them are found. Blocks."""
        wanted = {use.execution_id for use in uses}
        ended: dict[str, Mapping[str, Any]] = {}
        begun: dict[str, Mapping[str, Any]] = {}
        for record in self._of(wanted):
            execution = record["executionId"]
            if record.get("event") == "end":
                ended[execution] = record
            elif record.get("event") == "begin":
                begun[execution] = record
            if begun.keys() == wanted:
                break
        found = PastCalls(ended, begun)
        looked = {each: self._is_written(record) for each, record in begun.items() if found.is_open(each)}
        return replace(found, written={execution: seen for execution, seen in looked.items() if seen is not None})

    def outcome(self, use: ToolUse, past: PastCalls) -> ToolResult | None:
        """The recorded outcome. None means that the call had not started or changes nothing, so it can run now."""
        if past.is_unknown(use):
            return _returned(use, _UNKNOWN, is_error=True)
        if past.is_open(use.execution_id):
            return _returned(use, _WRITTEN, is_error=False) if past.written[use.execution_id] else None
        record = past.ended.get(use.execution_id)
        if record is None or _was_stopped(record):
            return None
        if "evidence" in record:
            pictures, left_out = pictures_in(self._images(record))
            known = _returned(use, self._kept(use, record) + left_out, is_error=not record.get("ok"))
            return msgspec.structs.replace(known, taken=len(pictures), pictures=pictures)
        return None if record.get("ok") else _returned(use, untrusted(use.name, _error(record)), is_error=True)

    async def outcomes_of_unsettled(self, turns: Sequence[Turn]) -> list[ToolResult]:
        """One outcome per call without a result, when a run was stopped or got a message: models need one for each."""
        if not (uses := unsettled(turns)):
            return []
        past = await asyncio.to_thread(self.past_calls, uses)
        found = [(use, await asyncio.to_thread(self.outcome, use, past)) for use in uses]
        return [known or _returned(use, _NOT_DONE, is_error=True) for use, known in found]

    def _is_written(self, begun: Mapping[str, Any]) -> bool | None:
        """Whether the file has the content that was approved; None if that says nothing about the call."""
        try:
            request = msgspec.json.decode(self._evidence.read(begun["evidence"]["dir"], "request.json", _MAX_RESULT))
            base, after = request["binding"]["baseHash"], request["binding"]["afterHash"]
            now = self._hash_of(request["params"]["path"])
        except (Failure, KeyError, TypeError, msgspec.DecodeError):
            return None
        return now == after if now in (base, after) and base != after else None

    def _of(self, wanted: set[str]) -> Iterable[Mapping[str, Any]]:
        return (record for record in self._audit.entries(reverse=True) if record.get("executionId") in wanted)

    def _images(self, record: Mapping[str, Any]) -> list[Image]:
        evidence, images = record["evidence"], list[Image]()
        named = filter(_PICTURE.fullmatch, evidence.get("sha256", {}))
        for name in evidence.get("pictures") or sorted(named):
            with suppress(Failure):  # what was tidied away meanwhile is not shown
                data = self._evidence.read(evidence["dir"], name, _MAX_RESULT)
                images.append(Image(data, f"image/{name.rpartition('.')[2]}"))
        return images

    def _kept(self, use: ToolUse, record: Mapping[str, Any]) -> str:
        """The result in the evidence, which is written before the audit's end record."""
        try:
            kept = msgspec.json.decode(self._evidence.read(record["evidence"]["dir"], "result.json", _MAX_RESULT))
        except (Failure, msgspec.DecodeError, KeyError):
            kept = {"ok": record.get("ok")}
        text = trimmed(msgspec.json.encode(kept).decode(), None)
        return "Done before handrail was restarted:\n" + untrusted(use.name, text)


def _was_stopped(record: Mapping[str, Any]) -> bool:
    return bool(record.get("error", {}).get("condition") == "Aborted")


def _error(record: Mapping[str, Any]) -> str:
    return str(record.get("error", {}).get("message", "It was refused."))


def _returned(use: ToolUse, text: str, *, is_error: bool) -> ToolResult:
    return ToolResult(use.id, use.execution_id, use.name, text, is_error)
