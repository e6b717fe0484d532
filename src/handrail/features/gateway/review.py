"""Compares what a server offers with what a person has accepted, and asks about the difference."""

import asyncio
import difflib
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec
from msgspec import UNSET

from handrail.features.gateway.definitions import Definition
from handrail.features.gateway.model import Server
from handrail.features.gateway.server_file import AcceptedDefinition, ServerFile
from handrail.kernel.access import record_access
from handrail.kernel.audit import Audit
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.kernel.visible import one_line
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptAnswer, PromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.tokens import OneTimeClaims
from handrail.ports.waiting import run_in_thread

SERVER_FACE = "server"
"""The face of a server that announces a change by itself."""
_TIMEOUT_SECONDS = 600.0
_POLL_SECONDS = 0.5
_NO_VISIBLE_CHANGE = "Nothing that can be seen has changed: only hidden members or their order."


@dataclass(frozen=True, slots=True)
class Difference:
    """By `Definition.key`: what needs to be accepted, and what is no longer offered."""

    server: Server
    changed: Mapping[str, tuple[Definition, Definition]]
    new: Mapping[str, Definition]
    gone: Mapping[str, Definition]

    @property
    def is_empty(self) -> bool:
        return not (self.changed or self.new)

    @property
    def unaccepted(self) -> dict[str, Definition]:
        return {**{key: now for key, (_, now) in self.changed.items()}, **self.new}

    @property
    def digest(self) -> str:
        parts = [
            self.server.name,
            self.server.digest,
            sorted((key, each.digest) for key, each in self.unaccepted.items()),
        ]
        return sha256(msgspec.json.encode(parts)).hexdigest()

    def diff(self) -> str:
        """A unified diff with every definition in full, before and after."""
        lines: list[str] = []
        pairs: list[tuple[Definition | None, Definition | None]] = [
            *self.changed.values(),
            *((None, each) for each in self.new.values()),
        ]
        for before, now in pairs:
            old, new = ([] if each is None else each.lines() for each in (before, now))
            label = (now or before or _NOTHING).key
            lines += difflib.unified_diff(old, new, f"accepted/{label}", f"offered/{label}", lineterm="", n=1000)
        return "\n".join(lines)

    def only(self, keys: set[str]) -> "Difference":
        changed = {key: pair for key, pair in self.changed.items() if key in keys}
        return Difference(self.server, changed, {key: each for key, each in self.new.items() if key in keys}, {})


_NOTHING = Definition(kind="tool", name="")


def compare_definitions(
    server: Server, accepted: Mapping[str, AcceptedDefinition], offered: Mapping[str, Definition]
) -> Difference:
    changed, new = {}, {}
    for key, now in offered.items():
        if key not in accepted:
            new[key] = now
        elif accepted[key].definition.digest != now.digest:
            changed[key] = accepted[key].definition, now
    gone = {key: each.definition for key, each in accepted.items() if key not in offered}
    return Difference(server, changed, new, gone)


@dataclass(eq=False)
class Reviews:
    """Asks a person to accept what a server offers. Callers with the same difference share one question."""

    file: ServerFile
    queue: PromptQueue
    once: OneTimeClaims
    audit: Audit
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def ask(self, difference: Difference, caller: Caller) -> None:
        """Returns once a person has accepted it. Always asks, whatever the policy allows. Declined."""
        lock = self._locks.setdefault(difference.digest, asyncio.Lock())
        async with lock:
            if not self._is_accepted(difference):
                await self._ask(difference, caller)

    async def _ask(self, difference: Difference, caller: Caller) -> None:
        stem = f"{APPROVAL_PREFIX}server{difference.digest[:32]}"
        pending = next((each.request_id for each in await self.queue.repeats(stem) if each.is_pending), None)
        request_id = pending or f"{stem}_{secrets.token_hex(4)}"
        if pending is None:
            await self.queue.request(review_prompt(difference, caller), request_id=request_id, origin=OWN_ORIGIN)
        name = difference.server.name
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                answer = await self._wait_for_answer(difference, request_id)
        except TimeoutError:
            raise Declined(
                f"{name} offers tools that you haven't accepted yet.", hint=_hint(name), reason="timeout"
            ) from None
        if answer is None:
            return
        response: PromptResponse = answer.response
        if response.status != "ok":
            remark = {"remark": response.remark} if response.remark is not UNSET else {}
            raise Declined(
                f"A person didn't accept what {name} offers now.", hint=_hint(name), reason="denied", **remark
            )
        await self.queue.proof_of(request_id)
        if not await self.once.claim(request_id):
            raise Declined("This answer was used already.", hint=_hint(name), reason="used")
        by = (await self.queue.answered_by([request_id])).get(request_id, "a person")
        await self.accept(difference, by, caller)

    async def _wait_for_answer(self, difference: Difference, request_id: str) -> PromptAnswer | None:
        """Returns the answer, or None if the difference was accepted elsewhere while waiting."""
        waiting = asyncio.ensure_future(self.queue.wait(request_id))
        try:
            while not (await asyncio.wait({waiting}, timeout=_POLL_SECONDS))[0]:
                if self._is_accepted(difference):
                    await try_withdraw(self.queue, request_id)
                    return None
            return waiting.result()
        finally:
            waiting.cancel()

    def _is_accepted(self, difference: Difference) -> bool:
        entry = self.file.entries().get(difference.server.name)
        return entry is not None and compare_definitions(entry.server, entry.valid, difference.unaccepted).is_empty

    async def accept(self, difference: Difference, by: str, caller: Caller, *, trusts_hints: bool = True) -> None:
        """Stores exactly what was shown. With `trusts_hints`, what is marked read-only runs without asking."""
        definitions = {
            key: (each, trusts_hints and each.has_read_only_hint) for key, each in difference.unaccepted.items()
        }
        await run_in_thread(lambda: self.file.accept(difference.server, definitions, by))
        names = ", ".join(sorted(definitions))
        await record_access(
            self.audit, caller, f"accepted from the server {difference.server.name}, by {by}: {names}"[:2000]
        )


def _hint(name: str) -> str:
    return f"A person can review it with `handrail servers accept {name}`."


def review_prompt(difference: Difference, caller: Caller) -> FileChangePrompt:
    name = difference.server.name
    if difference.changed:
        title = f"The MCP server {name} changed what you accepted: {_list_names(difference.changed)}"
    else:
        title = f"The MCP server {name} offers tools that you haven't accepted yet: {_list_names(difference.new)}"
    diff = difference.diff()
    lines = [
        f"Server: {one_line(name)} ({one_line(difference.server.place)})",
        _occasion(caller),
        *_what_changed(difference),
        "If you accept, agents see these names and descriptions, which the server wrote.",
        "Tools marked read-only run without asking; your rules apply to everything else.",
    ]
    reads = [key for key, each in difference.unaccepted.items() if each.kind == "tool" and each.has_read_only_hint]
    if reads:
        lines.append(f"Without asking: {', '.join(sorted(reads))}")
    if not diff:
        lines.append(_NO_VISIBLE_CHANGE)
    return FileChangePrompt(
        title=one_line(title),
        message="\n".join(lines),
        source="handrail/servers",
        diff=diff or UNSET,
        critical=bool(reads) or UNSET,
    )


def _occasion(caller: Caller) -> str:
    if caller.face == SERVER_FACE:
        return "Asked because the server announced that what it offers has changed."
    return f"Asked because {one_line(caller.name)} wants to use this server."


def _what_changed(difference: Difference) -> list[str]:
    changes = {
        "Changed": [now.label for _, now in difference.changed.values()],
        "New": [each.label for each in difference.new.values()],
        "No longer offered": [each.label for each in difference.gone.values()],
    }
    return [f"{word}: {_list_names(dict.fromkeys(labels))}" for word, labels in changes.items() if labels]


def _list_names(keys: Mapping[str, object]) -> str:
    names = sorted(keys)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


async def ask_quietly(reviews: Reviews, difference: Difference, caller: Caller) -> bool:
    """`Reviews.ask` in the background: returns whether it was accepted."""
    with suppress(Declined):
        await reviews.ask(difference, caller)
        return True
    return False
