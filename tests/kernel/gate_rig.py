"""A gate over real evidence and a real audit; fakes stand for the ports behind which a person, a store or time is."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.dialect import DIALECT
from handrail.kernel.evidence import Evidence
from handrail.kernel.gate import Gate
from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Registry
from handrail.kernel.target import Target
from handrail.kernel.tool import NoChange, Preview, Surface, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.policy import Rule
from handrail.ports.tokens import TokenScope
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.journal import JournalFile

NOON = datetime(2026, 2, 14, 12, tzinfo=UTC)
AGENT = Caller("mcp", "agent/1", "uid:1000", "agent:one")
PERSON = Caller("cli", "ada", "uid:1000", "person:ada")

Work = Callable[[Call, Any], Awaitable[Any]]
Plan = Callable[[Call, Any], Awaitable[Preview | NoChange]]


class Params(msgspec.Struct, frozen=True):
    value: Any = None
    path: str = "a.txt"


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"value": {}, "path": {"type": "string"}},
}


def tool(name: str, work: Work, effect: Effect = Effect.READ, plan: Plan | None = None, **more: Any) -> Tool[Any, Any]:
    async def run(port: None, call: Call, params: Params, preview: Preview | None) -> Any:
        return await work(call, params)

    async def preview(port: None, call: Call, params: Params) -> Preview | NoChange:
        assert plan is not None
        return await plan(call, params)

    return Tool(
        name,
        name.title(),
        Params,
        SCHEMA,
        run,
        effect=effect,
        preview=preview if plan else None,
        target=lambda params: Target(path=params.path),
        **more,
    )


async def echo(call: Call, params: Params) -> Any:
    return {"value": params.value}


class Scripted(Approver):
    """Stands for a person: gives one answer after the other and remembers what was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else Answer("ok", by="somebody")


class Ledger:
    """Stands for the store of tokens: each one is good once, for its scope. `on_consume` looks on at that moment."""

    def __init__(self, on_consume: Callable[[], None] = lambda: None) -> None:
        self.issued: dict[str, TokenScope] = {}
        self.consumed: list[str] = []
        self._on_consume = on_consume

    async def issue(self, scope: TokenScope, ttl: float) -> str:
        token = f"token {len(self.issued)}"
        self.issued[token] = scope
        return token

    async def consume(self, token: str | None, scope: TokenScope, *, is_durable: bool = True) -> None:
        self._on_consume()
        assert token is not None
        if token in self.consumed or self.issued.get(token) != scope:
            raise Declined("Not good for this.", reason="used")
        self.consumed.append(token)


class GateRig:
    def __init__(
        self,
        folder: Path,
        tools: Sequence[Tool[Any, Any]],
        *,
        rules: Sequence[Mapping[str, str]] = (),
        approver: Approver | None = None,
        policy: Callable[[], Policy] | None = None,
    ) -> None:
        (folder / "project").mkdir()
        self.folder = LocalFolder.open(str(folder / "project"))
        self.artifacts = folder / "project/artifacts"
        self.log = folder / "audit/log.jsonl"
        self.tokens = Ledger(self._note_consumption)
        self.person = Scripted()
        self.at_consumption: list[list[str]] = []
        self._audit = Audit(JournalFile(self.log, folder / "audit/head", later=lambda seconds, work: None))
        document = PolicyDocument(rules=tuple(msgspec.convert(rule, Rule) for rule in rules))
        composed = compose_policy(document, is_trusted=True, user_rules=())

        async def fetch() -> Policy:
            return composed if policy is None else policy()

        self.gate = Gate(
            Registry([Surface("stage", DIALECT, None, tools)]),
            fetch,
            approver or self.person,
            self.tokens,
            Recorder(Evidence(self.folder), self._audit, "/the/project", lambda: NOON),
        )

    async def call(self, name: str, value: Any = None, *, caller: Caller = AGENT, **more: Any) -> Any:
        return (await self.gate.run(Call(name, {"value": value}, caller, **more))).result

    def records(self) -> list[dict[str, Any]]:
        return list(self._audit.entries())

    def events(self) -> list[str]:
        return [record["event"] for record in self.records()]

    @property
    def last(self) -> dict[str, Any]:
        return self.records()[-1]

    def exhibits(self) -> list[Path]:
        return sorted(self.artifacts.glob("stage/2026-02-14/*"))

    def close(self) -> None:
        self._audit.verify()
        self._audit.close()
        self.folder.close()

    def _note_consumption(self) -> None:
        files = [file.name for exhibit in self.exhibits() for file in sorted(exhibit.iterdir())]
        self.at_consumption.append([*self.events(), *files])


def content(exhibit: Path, name: str) -> Any:
    return json.loads((exhibit / name).read_bytes())


class Clock:
    """The event loop's own clock, moved by hand: an hour passes at once."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        real, self._ahead = loop.time, 0.0
        loop.time = lambda: real() + self._ahead  # type: ignore[method-assign]

    def advance(self, seconds: float) -> None:
        self._ahead += seconds


async def others() -> None:
    """Lets everybody else do what they can do now."""
    for _ in range(50):
        await asyncio.sleep(0)
