"""Records a call: its evidence on disk and its lines in the audit.

Once a call has changed something, its reply stays the same even if the disk then fails.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from handrail.kernel.audit import Audit
from handrail.kernel.call_state import CallState
from handrail.kernel.content import Image
from handrail.kernel.evidence import CallEvidence, Evidence, utc_now
from handrail.kernel.repeat_question import evidence_name
from handrail.kernel.threads import run_for_caller
from handrail.kernel.tool import Preview, Reply
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.prompts import PromptImage
from handrail.ports.waiting import finish

logger = logging.getLogger(__name__)

_RESULT = "result.json"


class Recorder:
    def __init__(self, evidence: Evidence, audit: Audit, project: str, now: Callable[[], datetime] = utc_now) -> None:
        self._evidence = evidence
        self._audit = audit
        self._project = project
        self.now = now

    async def show(self, state: CallState, preview: Preview) -> tuple[PromptImage, ...]:
        """Saves the pictures of a question as evidence, with a record, before a person sees them."""
        if not preview.pictures:
            return ()
        shown = [(picture.name, picture.data) for picture in preview.pictures]
        exhibit = await run_for_caller(state.call.caller, lambda: self._write(state, shown, []))
        await self._add(state, "ask", durable=False)
        return tuple(
            PromptImage(path=self._evidence.location(exhibit, picture.name), alt=picture.alt)
            for picture in preview.pictures
        )

    async def begin(self, state: CallState, preview: Preview, times: int = 0) -> None:
        """Saves what is about to be done. `times`: how often that was saved before, but not done."""
        request = {
            "executionId": state.call.execution_id,
            "tool": state.call.tool,
            "caller": str(state.call.caller),
            "identity": state.call.caller.identity,
            "task": state.call.task,
            "params": state.params if preview.shown_params is None else preview.shown_params,
            "binding": dict(preview.binding),
            "summary": preview.summary,
            "about": _about(preview),
        }
        if preview.diff is not None:
            request["diff"] = preview.diff  # in the same file, so that one disk access saves all of it
        shown = state.evidence.hashes if state.evidence is not None else {}
        pictures = [(picture.name, picture.data) for picture in preview.pictures if picture.name not in shown]
        diff = [] if preview.diff is None else [(evidence_name("diff.patch", times), preview.diff)]
        durable = [(evidence_name("request.json", times), request), *pictures]

        def write() -> None:
            self._write(state, durable, diff)
            self._audit.put(state.record("begin", self._project), durable=True)

        await run_for_caller(state.call.caller, write)

    def keep_reply(self, state: CallState, reply: Reply) -> None:
        """Saves pictures of the reply that are not evidence yet, and the result if it is too long for the caller."""
        adopted = {sha: name for name, sha in state.adopted.items()} if state.adopted else {}
        pictures = [part for part in reply.content if isinstance(part, Image)] if reply.content else ()
        for number, image in enumerate(pictures, 1):
            name = adopted.get(sha256(image.data).hexdigest()) if adopted else None
            if name is None:
                name = f"picture-{number}.{image.mime.rpartition('/')[2]}"
                state.add_evidence(name, image.data)
            state.pictures.append(name)
        if _is_longer(reply, state.call.max_reply_chars):
            state.has_evidence = True

    async def close(self, state: CallState, *, result: Any = None, error: Failure | None = None) -> None:
        """Writes the result to the evidence and the call's last line to the audit.

        If it is cancelled, it still waits for both.
        """
        outcome = outcome_of(error)
        if state.has_evidence:
            await finish(asyncio.ensure_future(self._close_with_evidence(state, outcome, result, error)))
        else:
            await self._audit.add(state.record("end", self._project, **_without_parameters(outcome, error)))

    async def _close_with_evidence(
        self, state: CallState, outcome: dict[str, Any], result: Any, error: Failure | None
    ) -> None:
        if error is not None or _RESULT not in state.adopted:
            state.add_evidence(_RESULT, {**outcome, "result": result})
        await run_for_caller(state.call.caller, lambda: self._write_kept(state))
        try:
            # Not durable: the beginning is on disk, and the change itself is where it was made.
            await self._add(state, "end", durable=False, **_without_parameters(outcome, error))
        except Failure as lost:
            logger.error("the end of %s is not on record: %s", state.call.execution_id, lost.message)

    def _write_kept(self, state: CallState) -> None:
        """A missing piece of evidence doesn't change the call's outcome, so failures are only logged."""
        if state.adopted:
            self._opened(state).hashes.update(state.adopted)
        for name, content in state.extra_evidence:
            try:
                self._opened(state).add(name, content)
            except Failure as lost:
                logger.error("evidence of %s is incomplete: %s", state.call.execution_id, lost.message)

    def _write(
        self, state: CallState, durable: Sequence[tuple[str, Any]], copies: Sequence[tuple[str, Any]]
    ) -> CallEvidence:
        """Writes evidence; `durable` files are on disk when this returns. Blocks."""
        exhibit = self._opened(state)
        for name, content in copies:
            exhibit.add(name, content)
        for name, content in durable:
            exhibit.add(name, content, is_durable=True)
        return exhibit

    def _opened(self, state: CallState) -> CallEvidence:
        if state.evidence is None:
            name, id = state.entry.surface.name, state.call.execution_id
            state.evidence = self._evidence.open(name, id, state.call.began_at or self.now())
            state.has_evidence = True
        return state.evidence

    async def _add(self, state: CallState, event: str, *, durable: bool, **outcome: Any) -> None:
        await self._audit.add(state.record(event, self._project, **outcome), durable=durable)


def _about(preview: Preview) -> dict[str, str]:
    about = preview.about
    said = {"object": about.object or preview.path or "", "kind": about.kind, "within": about.within}
    return {name: value for name, value in said.items() if value}


def outcome_of(error: Failure | None) -> dict[str, Any]:
    """How a call ended, for its evidence and the audit."""
    if error is None:
        return {"ok": True}
    return {"ok": False, "error": {"condition": type(error).__name__, "message": error.message[:500]}}


def _without_parameters(outcome: dict[str, Any], error: Failure | None) -> dict[str, Any]:
    """Messages about invalid parameters quote them, but the audit must contain only their digest."""
    if not isinstance(error, InvalidParams):
        return outcome
    return {**outcome, "error": {"condition": type(error).__name__}}


def _is_longer(reply: Reply, most: int | None) -> bool:
    return most is not None and len(msgspec.json.encode(reply.result)) > most
