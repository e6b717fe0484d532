"""Bundles: similar approvals that a person can answer together.

Each approval keeps its own id, digest and one-time use. An answer lists what the person saw, so it doesn't cover an
approval that came later or whose content is different.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel.approval import Question
from handrail.kernel.prompts.card import auto_run_writes
from handrail.kernel.prompts.shown_digest import shown_digest
from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.presence import ProofSource
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_queue import PromptQueue, QueuedPrompt, Receipt
from handrail.ports.prompts import FileChangePrompt

ID_PREFIX = "bundle_"
MOST_ITEMS = 100
_ALLOWED = frozenset({"status", "remark"})
"""Wider scopes have to be chosen for each approval separately."""


def bundle_of(question: Question, project: str) -> str | None:
    """The key of similar approvals: agent, project, tool, task, and the place or app.

    None for questions that must be answered separately: critical rules, code that runs automatically, targets that
    can't be shown, and what has changed since it was shown.
    """
    preview, call = question.preview, question.call
    is_special = question.is_critical or preview.unseen is not None or bool(preview.changed)
    if is_special or auto_run_writes(question):
        return None
    target, consent = question.target, preview.consent
    where = [target.place, target.app, target.server, None if consent is None else consent.tool]
    parts = [call.caller.face, call.caller.agent, project, call.tool, str(question.effect), call.task, where]
    return sha256(msgspec.json.encode(parts)).hexdigest()[:16]


def bundle_members(request: RequestEntry, *, is_own: bool) -> dict[str, str]:
    """The members with which a client can answer it in a bundle, which only handrail's own approvals have."""
    prompt = request.prompt
    if not is_own or not isinstance(prompt, FileChangePrompt) or prompt.bundle is UNSET:
        return {}
    return {"bundle": prompt.bundle, "digest": shown_digest(request.request_id, prompt)}


@dataclass(frozen=True, slots=True)
class Bundle:
    """At least two similar pending approvals, the oldest first. Its id identifies exactly these."""

    key: str
    items: Sequence[QueuedPrompt]

    @property
    def id(self) -> str:
        return _id(self.items)


def group_approvals(pending: Iterable[QueuedPrompt], own: Iterable[str]) -> list[Bundle]:
    """`own`: the ids that handrail itself posted."""
    own_ids, groups = set(own), dict[str, list[QueuedPrompt]]()
    for each in pending:
        prompt = each.prompt
        if each.request_id in own_ids and isinstance(prompt, FileChangePrompt) and prompt.bundle is not UNSET:
            groups.setdefault(prompt.bundle, []).append(each)
    return [Bundle(key, items) for key, items in groups.items() if len(items) > 1]


async def pending_bundles(queue: PromptQueue) -> list[Bundle]:
    pending = await queue.pending()
    origins = await queue.origins([each.request_id for each in pending])
    return group_approvals(pending, (name for name, origin in origins.items() if origin.is_own))


async def find_bundle(queue: PromptQueue, bundle_id: str) -> Bundle:
    """The approvals that the id identifies, even if others have come since. NotFound: one is no longer pending."""
    for bundle in await pending_bundles(queue):
        for count in range(2, len(bundle.items) + 1):
            if _id(bundle.items[:count]) == bundle_id:
                return Bundle(bundle.key, bundle.items[:count])
    raise NotFound(
        f"The approvals of {bundle_id} no longer all wait for an answer.",
        hint="`handrail prompts list` shows what does.",
    )


@dataclass(frozen=True, slots=True)
class ShownApproval:
    """An approval as a person saw it."""

    request_id: str
    digest: str


Outcome = Receipt | Failure


async def answer_all(
    queue: PromptQueue,
    shown: Sequence[ShownApproval],
    response: Mapping[str, Any],
    *,
    by: str,
    proof: ProofSource = None,
) -> dict[str, Outcome]:
    """Gives the same answer to each. One that can't be answered that way is refused and stays pending.

    InvalidParams: they aren't one bundle; then nothing is answered.
    """
    _check(shown, response)
    ids = [each.request_id for each in shown]
    found, origins = await queue.find_all(ids), await queue.origins(ids)
    keys = {_key(found.get(each), is_own=each in origins and origins[each].is_own) for each in ids if each in found}
    if None in keys or len(keys) > 1:
        raise _wrong("items", "must be similar approvals, all with the same bundle")

    async def answer(each: ShownApproval) -> Outcome:
        try:
            return await queue.respond(each.request_id, response, by=by, proof=proof, shown=each.digest)
        except Failure as refused:
            return refused

    return dict(zip(ids, await asyncio.gather(*map(answer, shown)), strict=True))


def _check(shown: Sequence[ShownApproval], response: Mapping[str, Any]) -> None:
    if not 1 <= len(shown) <= MOST_ITEMS:
        raise _wrong("items", f"must be 1 to {MOST_ITEMS} approvals")
    if len({each.request_id for each in shown}) != len(shown):
        raise _wrong("items", "must not name an approval twice")
    for name in response:
        if name not in _ALLOWED:
            raise _wrong(f"response.{name}", "can't be set for several approvals at once: answer this one by itself")


def _key(found: QueuedPrompt | None, *, is_own: bool) -> str | None:
    prompt = None if found is None else found.prompt
    if not is_own or not isinstance(prompt, FileChangePrompt) or prompt.bundle is UNSET:
        return None
    return prompt.bundle


def _id(items: Sequence[QueuedPrompt]) -> str:
    digests = [shown_digest(each.request_id, each.prompt) for each in items]
    return ID_PREFIX + sha256(msgspec.json.encode(digests)).hexdigest()[:32]


def _wrong(field: str, why: str) -> InvalidParams:
    return InvalidParams(f"{field}: {why}.", fieldErrors=[{"field": field, "message": why}])
