"""Finds out from the audit and evidence what happened to tool calls that a crash, restart or stop interrupted."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from handrail.features.agent.pictures import pictures_in
from handrail.features.agent.texts import trimmed, untrusted
from handrail.features.agent.turns import calls_without_result
from handrail.kernel.audit import Audit
from handrail.kernel.content import Image
from handrail.kernel.evidence import Evidence
from handrail.ports.errors import Failure
from handrail.ports.model import ToolResult, ToolUse, Turn
from handrail.ports.unreadable_json import UNREADABLE_JSON

_MAX_BYTES = 4 * 1024 * 1024
_PICTURE = re.compile(r"picture-\d+\.\w+")
"""Names of pictures in evidence; older records don't list them."""
_UNKNOWN = (
    "This was interrupted while it was running: it may have been done, or not. The person is told. "
    "Check the current state before you do it again."
)
_NOT_DONE = "This was stopped before it started."
_WRITTEN = "This was done before handrail was interrupted: the file has exactly the content that was approved."


@dataclass(frozen=True, slots=True)
class PastCalls:
    """Audit records by execution id: how calls ended, and which calls had begun to change something."""

    ended: Mapping[str, Mapping[str, Any]]
    begun: Mapping[str, Mapping[str, Any]]
    written: Mapping[str, bool] = field(default_factory=dict)
    """For writes without an end record: whether the file shows that they were done."""

    def is_unknown(self, use: ToolUse) -> bool:
        """Whether the call had begun, and neither a record nor a file shows how it ended."""
        return self.is_open(use.execution_id) and use.execution_id not in self.written

    def is_open(self, execution_id: str) -> bool:
        record = self.ended.get(execution_id)
        return execution_id in self.begun and (record is None or _was_stopped(record))


class Recovery:
    """`hash_of` returns the current hash of a file of the project."""

    def __init__(self, audit: Audit, evidence: Evidence, hash_of: Callable[[str], str]) -> None:
        self._audit = audit
        self._evidence = evidence
        self._hash_of = hash_of

    def past_calls(self, uses: Sequence[ToolUse]) -> PastCalls:
        """Reads the audit backwards until all calls are found. Blocks."""
        ids = {use.execution_id for use in uses}
        ended: dict[str, Mapping[str, Any]] = {}
        begun: dict[str, Mapping[str, Any]] = {}
        for record in self._audit.entries(reverse=True):
            if (id := record.get("executionId")) not in ids:
                continue
            if record.get("event") == "end":
                ended[id] = record
            elif record.get("event") == "begin":
                begun[id] = record
            if begun.keys() == ids:
                break
        past = PastCalls(ended, begun)
        written = {id: self._is_written(record) for id, record in begun.items() if past.is_open(id)}
        return replace(past, written={id: known for id, known in written.items() if known is not None})

    def result(self, use: ToolUse, past: PastCalls) -> ToolResult | None:
        """The recorded result. None if the call can run now, because it had not begun or only reads."""
        if past.is_unknown(use):
            return _result(use, _UNKNOWN, is_error=True)
        if past.is_open(use.execution_id):
            return _result(use, _WRITTEN, is_error=False) if past.written[use.execution_id] else None
        record = past.ended.get(use.execution_id)
        if record is None or _was_stopped(record):
            return None
        if "evidence" in record:
            pictures, note = pictures_in(self._images(record))
            result = _result(use, self._stored_text(use, record) + note, is_error=not record.get("ok"))
            return msgspec.structs.replace(result, taken=len(pictures), pictures=pictures)
        return None if record.get("ok") else _result(use, untrusted(use.name, _error(record)), is_error=True)

    async def missing_results(self, turns: Sequence[Turn]) -> list[ToolResult]:
        """A result for each call that has none, since models need one for each before anything else is said."""
        if not (uses := calls_without_result(turns)):
            return []
        past = await asyncio.to_thread(self.past_calls, uses)
        results = [(use, await asyncio.to_thread(self.result, use, past)) for use in uses]
        return [result or _result(use, _NOT_DONE, is_error=True) for use, result in results]

    def _is_written(self, record: Mapping[str, Any]) -> bool | None:
        """Whether the file has the content that was approved; None if the file doesn't show it."""
        try:
            request = msgspec.json.decode(self._evidence.read(record["evidence"]["dir"], "request.json", _MAX_BYTES))
            base, after = request["binding"]["baseHash"], request["binding"]["afterHash"]
            now = self._hash_of(request["params"]["path"])
        except (Failure, KeyError, TypeError, *UNREADABLE_JSON):
            return None
        return now == after if now in (base, after) and base != after else None

    def _images(self, record: Mapping[str, Any]) -> list[Image]:
        evidence, images = record["evidence"], list[Image]()
        named = filter(_PICTURE.fullmatch, evidence.get("sha256", {}))
        for name in evidence.get("pictures") or sorted(named):
            with suppress(Failure):  # it may have been deleted by age
                data = self._evidence.read(evidence["dir"], name, _MAX_BYTES)
                images.append(Image(data, f"image/{name.rpartition('.')[2]}"))
        return images

    def _stored_text(self, use: ToolUse, record: Mapping[str, Any]) -> str:
        """The result from the evidence, which is written before the audit's end record."""
        try:
            stored = msgspec.json.decode(self._evidence.read(record["evidence"]["dir"], "result.json", _MAX_BYTES))
        except (Failure, KeyError, *UNREADABLE_JSON):
            stored = {"ok": record.get("ok")}
        text = trimmed(msgspec.json.encode(stored).decode(), None)
        return "Done before handrail was restarted:\n" + untrusted(use.name, text)


def _was_stopped(record: Mapping[str, Any]) -> bool:
    return bool(record.get("error", {}).get("condition") == "Aborted")


def _error(record: Mapping[str, Any]) -> str:
    return str(record.get("error", {}).get("message", "It was refused."))


def _result(use: ToolUse, text: str, *, is_error: bool) -> ToolResult:
    return ToolResult(use.id, use.execution_id, use.name, text, is_error)
