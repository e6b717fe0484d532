"""The desktop tools behind a real gate, with an in-memory host whose windows the test scripts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.feature import FEATURE
from handrail.kernel.call import Call
from handrail.kernel.policy import compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.registry import Registry, surface_of
from handrail.kernel.tool import Reply
from handrail.ports.errors import Failure
from handrail.ports.policy import Rule
from tests.kernel.gate_rig import AGENT, GateRig

Json = dict[str, Any]
Answer = Callable[[Json], Json]

NOWHERE = {"frontmostBundleId": "", "windowTitle": ""}


def window(app: str, title: str = "Notes", pid: int = 7) -> Json:
    return {"frontmostBundleId": app, "windowTitle": title, "pid": pid}


class ScriptedHost:
    """`fronts` are the windows in front, one per observation; the last one stays. `answers` are by method."""

    def __init__(self, *fronts: Json) -> None:
        self.fronts = list(fronts)
        self.answers: dict[str, Answer | Failure] = {}
        self.asked: list[tuple[str, Json]] = []

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_ms: int,
        request_id: str | None = None,
        meta: Mapping[str, str] = MappingProxyType({}),
    ) -> Json:
        self.asked.append((method, dict(params)))
        answer = self.answers.get(method)
        if isinstance(answer, Failure):
            raise answer
        if answer is not None:
            return {"executionId": "x", **answer(dict(params))}
        assert method in ("desktop.locate", "desktop.observe"), method
        return {"executionId": "x", "routeResolved": self.front()}

    def front(self) -> Json:
        return self.fronts.pop(0) if len(self.fronts) > 1 else self.fronts[0]

    def params_of(self, method: str) -> list[Json]:
        return [params for name, params in self.asked if name == method]

    async def close(self) -> None:
        pass


class DesktopGate:
    def __init__(self, folder: Path, host: ScriptedHost, rules: Sequence[Mapping[str, str]] = ()) -> None:
        document = PolicyDocument(rules=tuple(msgspec.convert(rule, Rule) for rule in rules))
        policy = compose_policy(document, is_trusted=True, user_rules=())
        self.rig = GateRig(folder, (), policy=lambda: policy)
        self.host = host
        self.questions = self.rig.person.questions
        tools = surface_of(FEATURE, Desktop(host, self.rig.folder, lambda: "the host", lambda: policy))
        self.rig.gate.registry = Registry([tools])

    async def does(self, tool: str, **params: Any) -> Reply:
        return await self.rig.gate.run(Call(tool, params, AGENT))
