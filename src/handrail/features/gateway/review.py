"""What differs between what a server offers and what a person has accepted, and the question about it."""

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
from handrail.features.gateway.server_file import Accepted, ServerFile
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

_PATIENCE_SECONDS = 600.0
_LOOK_EVERY_SECONDS = 0.5
_MOST_DIFF = 400_000
_LOOKS_ALIKE = "Nothing that can be seen has changed: only hidden members or their order."


@dataclass(frozen=True, slots=True)
class Difference:
    """By `Definition.key`: what would have to be accepted, and what is no longer offered."""

    server: Server
    changed: Mapping[str, tuple[Definition, Definition]]
    new: Mapping[str, Definition]
    gone: Mapping[str, Definition]

    @property
    def is_empty(self) -> bool:
        return not (self.changed or self.new)

    @property
    def wanted(self) -> dict[str, Definition]:
        return {**{key: now for key, (_, now) in self.changed.items()}, **self.new}

    @property
    def digest(self) -> str:
        parts = [self.server.name, self.server.digest, sorted((key, each.digest) for key, each in self.wanted.items())]
        return sha256(msgspec.json.encode(parts)).hexdigest()

    def diff(self) -> str:
        """In the form of a patch: a tool in one piece, its lines with what was and what would be."""
        lines: list[str] = []
        pairs: list[tuple[Definition | None, Definition | None]] = [
            *self.changed.values(),
            *((None, each) for each in self.new.values()),
        ]
        for before, now in pairs:
            old, new = ([] if each is None else each.lines() for each in (before, now))
            label = (now or before or _NOTHING).key
            lines += difflib.unified_diff(old, new, f"accepted/{label}", f"offered/{label}", lineterm="", n=1000)
        return "\n".join(lines)[:_MOST_DIFF]

    def only(self, keys: set[str]) -> "Difference":
        changed = {key: pair for key, pair in self.changed.items() if key in keys}
        return Difference(self.server, changed, {key: each for key, each in self.new.items() if key in keys}, {})


_NOTHING = Definition(kind="tool", name="")


def difference(server: Server, accepted: Mapping[str, Accepted], offered: Mapping[str, Definition]) -> Difference:
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
    """Asks a person to accept what a server offers. One question at a time about the same difference."""

    file: ServerFile
    queue: PromptQueue
    once: OneTimeClaims
    audit: Audit
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def ask(self, found: Difference, caller: Caller) -> None:
        """Returns once a person has accepted it. Declined. Whatever the policy allows, this is always asked."""
        turn = self._turns.setdefault(found.digest, asyncio.Lock())
        async with turn:
            if not self._is_accepted(found):
                await self._ask(found, caller)

    async def _ask(self, found: Difference, caller: Caller) -> None:
        stem = f"{APPROVAL_PREFIX}server{found.digest[:32]}"
        pending = next((each.request_id for each in await self.queue.repeats(stem) if each.is_pending), None)
        request_id = pending or f"{stem}_{secrets.token_hex(4)}"
        if pending is None:
            await self.queue.request(prompt_of(found, caller), request_id=request_id, origin=OWN_ORIGIN)
        name = found.server.name
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                answer = await self._answered(found, request_id)
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
        await self.accept(found, by, caller)

    async def _answered(self, found: Difference, request_id: str) -> PromptAnswer | None:
        """The answer; None where somebody has accepted it elsewhere meanwhile."""
        waiting = asyncio.ensure_future(self.queue.wait(request_id))
        try:
            while not (await asyncio.wait({waiting}, timeout=_LOOK_EVERY_SECONDS))[0]:
                if self._is_accepted(found):
                    await try_withdraw(self.queue, request_id)
                    return None
            return waiting.result()
        finally:
            waiting.cancel()

    def _is_accepted(self, found: Difference) -> bool:
        entry = self.file.entries().get(found.server.name)
        return entry is not None and difference(entry.server, entry.valid, found.wanted).is_empty

    async def accept(self, found: Difference, by: str, caller: Caller, *, trusts_marks: bool = True) -> None:
        """What was shown becomes what counts: with `trusts_marks`, what is marked as a read runs without asking."""
        wanted = {key: (each, trusts_marks and each.is_marked_as_read) for key, each in found.wanted.items()}
        await run_in_thread(lambda: self.file.accept(found.server, wanted, by))
        names = ", ".join(sorted(found.wanted))
        await record_access(
            self.audit, caller, f"accepted from the server {found.server.name}, by {by}: {names}"[:2000]
        )


def _hint(name: str) -> str:
    return f"A person can look at it with `handrail servers accept {name}`."


def prompt_of(found: Difference, caller: Caller) -> FileChangePrompt:
    name = found.server.name
    if found.changed:
        title = f"The MCP server {name} changed what you accepted: {_named(found.changed)}"
    else:
        title = f"The MCP server {name} offers tools that you haven't accepted yet: {_named(found.new)}"
    diff = found.diff()
    lines = [
        f"Server: {one_line(name)} ({one_line(found.server.place)})",
        f"Asked because of {one_line(caller)}",
        "If you accept, agents see these names and descriptions, which are the server's own words.",
        "What it marks as read-only runs without asking; everything else asks as your rules say.",
    ]
    reads = [key for key, each in found.wanted.items() if each.kind == "tool" and each.is_marked_as_read]
    if reads:
        lines.append(f"Without asking: {', '.join(sorted(reads))}")
    if not diff:
        lines.append(_LOOKS_ALIKE)
    return FileChangePrompt(
        title=one_line(title),
        message="\n".join(lines),
        source="handrail/servers",
        diff=diff or UNSET,
        critical=bool(reads) or UNSET,
    )


def _named(keys: Mapping[str, object]) -> str:
    names = sorted(keys)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


async def quiet_ask(reviews: Reviews, found: Difference, caller: Caller) -> bool:
    """`Reviews.ask` for what nobody waits for: whether it was accepted."""
    with suppress(Declined):
        await reviews.ask(found, caller)
        return True
    return False
