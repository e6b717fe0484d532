"""What desktop tools get: calls to the desktop host that share the gate's execution id and evidence folder."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol
from uuid import uuid4

from msgspec import UNSET, UnsetType

from handrail.features.desktop.host.execution import stamp
from handrail.features.desktop.messages import EvidenceFiles, RouteResolved
from handrail.kernel.call import Call
from handrail.kernel.evidence import utc_now
from handrail.kernel.policy import Policy
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.errors import Aborted, Failure, InvalidParams
from handrail.ports.files import Folder
from handrail.ports.policy import Decision


class DesktopHost(Protocol):
    """The process that reads the accessibility tree and uses screen and keyboard. Its wire is contract 1."""

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_ms: int,
        request_id: str | None = None,
        meta: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Returns the method's result, or raises a Failure with the host's code. `meta` is added to the call's meta.

        Offline: no host is running. Timeout: it did not answer in time. Cancelling the call aborts it in the host.
        """
        ...

    async def close(self) -> None: ...


_MAX_SCREENSHOT_BYTES = 64 * 1024 * 1024
_LOCATE = "desktop.locate"
_LOCATE_TIMEOUT_MS = 15_000

Params = Mapping[str, Any]


class Desktop:
    """`files` is the project, `executor` returns how the host identifies this process, `policy` the current policy."""

    def __init__(
        self, host: DesktopHost, files: Folder, executor: Callable[[], str], policy: Callable[[], Policy]
    ) -> None:
        self._host = host
        self._files = files
        self.executor = executor
        self._policy = policy
        self._running: dict[str, str] = {}
        """Callers of running requests, by request id."""
        self._locating: dict[str, asyncio.Future[dict[str, Any]]] = {}
        """Those of them that locate a target. They change nothing, and the host knows no way to abort them."""

    async def disconnect(self) -> None:
        await self._host.close()

    async def ask(self, call: Call, method: str, params: Params, deadline_ms: int) -> dict[str, Any]:
        """Makes a call that leaves no evidence."""
        return await self._ask(call, method, params, deadline_ms, {})

    async def execute(self, call: Call, method: str, params: Params, deadline_ms: int) -> dict[str, Any]:
        """Makes a call that writes its evidence into the folder of the gate's call."""
        began_at = call.began_at or utc_now()
        meta = {"executionId": call.execution_id, "beganAt": began_at.isoformat()}
        try:
            result = await self._ask(call, method, params, deadline_ms, meta)
        except Failure as failure:
            _adopt(call, failure.details)
            raise
        _adopt(call, result)
        return result

    async def act(self, call: Call, method: str, params: Params, deadline_ms: int) -> dict[str, Any]:
        """Makes a call that acts, confirmed by the gate's token, which is bound to exactly these parameters."""
        approved = call.approved
        confirm = {
            "pass": call.token,
            "approvedAt": stamp(utc_now() if approved is None else approved.at),
            "approver": "a rule of the policy" if approved is None else approved.by,
        }
        return await self.execute(call, method, {**params, "confirm": confirm}, deadline_ms)

    async def locate(self, call: Call, params: Params) -> dict[str, Any]:
        return await self.ask(call, _LOCATE, params, _LOCATE_TIMEOUT_MS)

    async def _ask(
        self, call: Call, method: str, params: Params, deadline_ms: int, meta: Mapping[str, str]
    ) -> dict[str, Any]:
        id = str(uuid4())
        self._running[id] = call.caller.identity
        try:
            timeout_ms = call.deadline_ms or deadline_ms
            answer = self._host.call(method, params, timeout_ms=timeout_ms, request_id=id, meta=meta)
            if method != _LOCATE:
                return await answer
            self._locating[id] = asyncio.ensure_future(answer)
            return await self._locating[id]
        except asyncio.CancelledError:
            if method == _LOCATE and id not in self._locating:
                raise Aborted("It was aborted.") from None
            raise
        except Failure as failure:
            if isinstance(windows := failure.details.get("windows"), list):
                failure.details["windows"] = self.readable_windows(call, windows)
            raise
        finally:
            del self._running[id]
            self._locating.pop(id, None)

    def running_requests(self, call: Call, request_id: str | None) -> list[str]:
        """Returns the given request, or all running requests of this caller."""
        if request_id is not None:
            return [request_id]
        ids = [id for id, caller in self._running.items() if caller == call.caller.identity]
        if not ids:
            raise InvalidParams("Nothing of yours is running.", field="executionId")
        return ids

    async def abort(self, id: str, deadline_ms: int) -> dict[str, Any]:
        if (locating := self._locating.pop(id, None)) is not None:
            locating.cancel()
            return {"aborted": True, "executionId": id}
        return await self._host.call("desktop.abort", {"executionId": id}, timeout_ms=deadline_ms)

    async def check_app(self, call: Call, route: RouteResolved | UnsetType) -> None:
        """Asks the policy about the app before anything about it is returned."""
        if route is not UNSET and route.frontmost_bundle_id:
            await call.check(Target(app=route.frontmost_bundle_id))

    def readable_windows(self, call: Call, windows: Sequence[Any], allowed_app: str = "") -> list[Any]:
        """Leaves out windows of apps that rules restrict. The policy has already allowed `allowed_app`."""
        policy = self._policy()

        def decide(target: Target) -> Decision:
            return policy.decide(call.tool, Effect.READ, target).decision

        default = decide(Target())
        valid = (window for window in windows if isinstance(window, dict) and isinstance(window.get("app"), str))
        return [
            window for window in valid if window["app"] == allowed_app or decide(Target(app=window["app"])) <= default
        ]

    async def read_screenshot(self, evidence: EvidenceFiles | UnsetType) -> bytes | None:
        """Reads the screenshot through the project's sandbox; None if there is none."""
        if evidence is UNSET or evidence.screenshot_path is UNSET:
            return None
        return await asyncio.to_thread(self._read, evidence, evidence.screenshot_path)

    def _read(self, evidence: EvidenceFiles, name: str) -> bytes | None:
        inside = os.path.relpath(os.path.join(evidence.dir, name), os.path.realpath(self._files.location))
        try:
            return self._files.read(inside, _MAX_SCREENSHOT_BYTES)
        except Failure:
            return None


def _adopt(call: Call, answer: dict[str, Any]) -> None:
    """Adds the host's files to the call's evidence. Their hashes go into the audit, not to the caller."""
    evidence = answer.get("evidence")
    hashes = evidence.pop("sha256", None) if isinstance(evidence, dict) else None
    if isinstance(hashes, dict):
        call.adopt_evidence(hashes)
