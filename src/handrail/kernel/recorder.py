"""What stays of a call: its evidence on disk and its lines in the audit.

Decides nothing. What is done is done: a disk that fails after it never makes the answer say otherwise.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import msgspec

from handrail.kernel.audit import Audit
from handrail.kernel.content import Image
from handrail.kernel.evidence import Evidence, Exhibit, utc_now
from handrail.kernel.passage import Passage
from handrail.kernel.tool import Preview, Reply
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.prompts import PromptImage

logger = logging.getLogger(__name__)

_RESULT = "result.json"


class Recorder:
    def __init__(self, evidence: Evidence, audit: Audit, project: str, now: Callable[[], datetime] = utc_now) -> None:
        self._evidence = evidence
        self._audit = audit
        self._project = project
        self.now = now

    def show(self, passage: Passage, preview: Preview) -> tuple[PromptImage, ...]:
        """What a person is about to see is evidence, and on record before they see it."""
        if not preview.pictures:
            return ()
        exhibit = self._opened(passage)
        for picture in preview.pictures:
            exhibit.add(picture.name, picture.data)
        self._append(passage, "ask", durable=False)
        return tuple(
            PromptImage(path=self._evidence.location(exhibit, picture.name), alt=picture.alt)
            for picture in preview.pictures
        )

    def begin(self, passage: Passage, preview: Preview) -> None:
        """What is about to be done, on disk before it is."""
        exhibit = self._opened(passage)
        exhibit.add(
            "request.json",
            {
                "executionId": passage.call.execution_id,
                "tool": passage.call.tool,
                "caller": str(passage.call.caller),
                "task": passage.call.task,
                "params": passage.params if preview.shown_params is None else preview.shown_params,
                "binding": dict(preview.binding),
                "summary": preview.summary,
            },
        )
        for picture in preview.pictures:
            if picture.name not in exhibit.hashes:  # nobody was shown it
                exhibit.add(picture.name, picture.data)
        if preview.diff is not None:
            exhibit.add("diff.patch", preview.diff)
        self._append(passage, "begin", durable=True)

    def keep(self, passage: Passage, name: str, content: Any) -> None:
        """`Call.keep`: what a tool wants to be seen later."""
        with _outlived(passage):
            self._opened(passage).add(name, content)

    def adopt(self, passage: Passage, hashes: Mapping[str, str]) -> None:
        """`Call.adopt`: files that are in the call's folder already."""
        with _outlived(passage):
            self._opened(passage).hashes.update(hashes)

    def keep_reply(self, passage: Passage, reply: Reply) -> None:
        """Its pictures, and the result itself where it is longer than the caller takes."""
        for number, image in enumerate((part for part in reply.content if isinstance(part, Image)), 1):
            self.keep(passage, f"picture-{number}.{image.mime.rpartition('/')[2]}", image.data)
        if _is_longer(reply, passage.call.keeps_longer_than):
            with _outlived(passage):
                self._opened(passage)

    def close(self, passage: Passage, *, result: Any = None, error: Failure | None = None) -> None:
        """The last line of every call: its result in the evidence, its end in the audit."""
        outcome: dict[str, Any] = {"ok": error is None}
        if error is not None:
            outcome["error"] = {"condition": type(error).__name__, "message": error.message[:500]}
        if passage.exhibit is not None and (error is not None or _RESULT not in passage.exhibit.hashes):
            self.keep(passage, _RESULT, {**outcome, "result": result})
        if isinstance(error, InvalidParams):
            del outcome["error"]["message"]  # it quotes parameters, of which the audit holds but a digest
        try:
            self._append(passage, "end", durable=passage.exhibit is not None, **outcome)
        except Failure as lost:
            if passage.exhibit is None:
                raise
            logger.error("the end of %s is not on record: %s", passage.call.execution_id, lost.message)

    def _opened(self, passage: Passage) -> Exhibit:
        if passage.exhibit is None:
            name, id = passage.entry.surface.name, passage.call.execution_id
            passage.exhibit = self._evidence.open(name, id, passage.call.began_at or self.now())
        return passage.exhibit

    def _append(self, passage: Passage, event: str, *, durable: bool, **outcome: Any) -> None:
        self._audit.append(passage.record(event, self._project, **outcome), durable=durable)


@contextmanager
def _outlived(passage: Passage) -> Iterator[None]:
    """The call goes on without this piece of its evidence."""
    try:
        yield
    except Failure as lost:
        logger.error("evidence of %s is incomplete: %s", passage.call.execution_id, lost.message)


def _is_longer(reply: Reply, most: int | None) -> bool:
    return most is not None and len(msgspec.json.encode(reply.result)) > most
