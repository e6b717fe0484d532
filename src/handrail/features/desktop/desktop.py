"""The port of this surface: the host, what of its answers may be told, and the token for each act."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from msgspec import UNSET, UnsetType

from handrail.features.desktop.host_port import DesktopHost
from handrail.features.desktop.results import EvidenceFiles, RouteResolved
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.evidence import utc_now
from handrail.kernel.policy import Policy
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.files import Folder
from handrail.ports.policy import Decision
from handrail.ports.tokens import Scope, TokenStore

GATE = "gate"
"""In whose name a pass is issued: the host takes it in place of a person's word."""
_PASS_SECONDS = 60.0
_LARGEST_PICTURE = 64 * 1024 * 1024

Params = Mapping[str, Any]


class Desktop:
    """`files` is the project; `passes` are kept where the host looks them up; `policy` is the one in force."""

    def __init__(self, host: DesktopHost, files: Folder, passes: TokenStore, policy: Callable[[], Policy]) -> None:
        self._host = host
        self._files = files
        self._passes = passes
        self._policy = policy
        self._running: dict[str, str] = {}
        """Who asked for what is under way, by its requestId."""

    async def ask(self, call: Call, method: str, params: Params, deadline_ms: int) -> dict[str, Any]:
        id = str(uuid4())
        self._running[id] = str(call.caller)
        try:
            return await self._host.call(method, params, timeout_ms=call.deadline_ms or deadline_ms, request_id=id)
        except Failure as failure:
            if isinstance(windows := failure.details.get("windows"), list):
                failure.details["windows"] = self.tellable(call, windows)
            raise
        finally:
            del self._running[id]

    def running(self, call: Call, named: str | None) -> list[str]:
        """What is named, or everything that this caller has under way."""
        if named is not None:
            return [named]
        own = [id for id, caller in self._running.items() if caller == str(call.caller)]
        if not own:
            raise InvalidParams("Nothing of yours is running.", field="executionId")
        return own

    async def abort(self, id: str, deadline_ms: int) -> dict[str, Any]:
        return await self._host.call("desktop.abort", {"executionId": id}, timeout_ms=deadline_ms)

    async def act(self, call: Call, method: str, params: Params, deadline_ms: int) -> dict[str, Any]:
        """The token is issued for exactly these parameters, on the word of whoever allowed the call."""
        confirm = await self._confirmed(call, method, params)
        return await self.ask(call, method, {**params, "confirm": confirm}, deadline_ms)

    async def check_place(self, call: Call, route: RouteResolved | UnsetType) -> None:
        """Lets the policy decide about the app, before anything of it is told."""
        if route is not UNSET and route.frontmost_bundle_id:
            await call.check(Target(app=route.frontmost_bundle_id))

    def tellable(self, call: Call, windows: Sequence[Any], passed: str = "") -> list[Any]:
        """Those of the app that has `passed`, and of others about which no rule is stricter than about the call."""
        policy = self._policy()

        def decided(target: Target) -> Decision:
            return policy.decide(call.tool, Effect.READ, target).decision

        most = decided(Target())
        told = (window for window in windows if isinstance(window, dict) and isinstance(window.get("app"), str))
        return [one for one in told if one["app"] == passed or decided(Target(app=one["app"])) <= most]

    async def picture(self, evidence: EvidenceFiles | UnsetType) -> bytes | None:
        """The screenshot; None where none was taken. It is read through the project's own sandbox."""
        if evidence is UNSET or evidence.screenshot_path is UNSET:
            return None
        return await asyncio.to_thread(self.read_evidence, evidence, evidence.screenshot_path)

    def read_evidence(self, evidence: EvidenceFiles, name: str) -> bytes | None:
        inside = os.path.relpath(os.path.join(evidence.dir, name), os.path.realpath(self._files.location))
        try:
            return self._files.read(inside, _LARGEST_PICTURE)
        except Failure:
            return None

    async def _confirmed(self, call: Call, method: str, params: Params) -> dict[str, str]:
        approved = call.approved
        word = (
            {"promptRequestId": approved.prompt_id}
            if approved is not None and approved.prompt_id is not None
            else {"pass": await asyncio.to_thread(self._pass, method, params)}
        )
        intent = {"method": method, "params": params}
        issued = await self.ask(call, "desktop.confirm.issue", {"intent": intent, **word}, 10_000)
        at = utc_now() if approved is None else approved.at
        return {
            "token": str(issued["token"]),
            "approvedAt": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "approver": "a rule of the policy" if approved is None else approved.by,
        }

    def _pass(self, method: str, params: Params) -> str:
        return self._passes.issue(Scope(GATE, method, digest(params)), _PASS_SECONDS)
