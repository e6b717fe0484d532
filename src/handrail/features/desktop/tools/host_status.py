"""Tools about the host itself: stopping calls, its health, and what is missing."""

import asyncio
from typing import Any

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Name, Params
from handrail.features.desktop.messages import ResultPart, read_result
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams

_TIMEOUT_MS = 10_000
_DOCTOR_TIMEOUT_MS = 15_000


class AbortParams(Params, frozen=True, kw_only=True):
    execution_id: Name | None = None


class AbortResult(ResultPart, frozen=True, kw_only=True):
    aborted: bool
    execution_id: str | UnsetType = UNSET


async def desktop_abort(desktop: Desktop, call: Call, params: AbortParams, preview: Preview | None) -> Reply:
    """Stop a desktop call that is running: without `executionId`, all of your calls. No key or click is
    sent after that.
    """
    running = desktop.running_requests(call, params.execution_id)
    answers = await asyncio.gather(*(desktop.abort(id, _TIMEOUT_MS) for id in running), return_exceptions=True)
    stopped = [answer for answer in answers if not isinstance(answer, BaseException)]
    failures = [failure for failure in answers if isinstance(failure, BaseException)]
    # InvalidParams: the call has ended already. Every other failure means that a call may still be running.
    failed_aborts = [failure for failure in failures if not isinstance(failure, InvalidParams)]
    if failed_aborts or not stopped:
        raise (failed_aborts or failures)[0]
    return Reply(read_result(stopped[0], AbortResult), text=f"{len(stopped)} stopped.")


ABORT = desktop_tool(
    desktop_abort, AbortParams, AbortResult, "Stop", effect=Effect.PROCESS_CONTROL, deadline_ms=_TIMEOUT_MS
)


class HealthResult(ResultPart, frozen=True, kw_only=True):
    host_version: str
    macos: str
    os: str = ""
    session: str = ""
    permissions: dict[str, str]
    bridge: dict[str, Any]
    peer: dict[str, Any]


async def desktop_health(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Check whether the desktop can be read and used here. desktop_doctor lists what is missing."""
    result = read_result(await desktop.ask(call, method_of(call.tool), {}, _TIMEOUT_MS), HealthResult)
    return Reply(result, text=", ".join(f"{name} {state}" for name, state in result.permissions.items()))


HEALTH = desktop_tool(desktop_health, Params, HealthResult, "Desktop health", deadline_ms=_TIMEOUT_MS)


class Fix(ResultPart, frozen=True, kw_only=True):
    about: str
    issue: str
    fix: str


class DoctorResult(ResultPart, frozen=True, kw_only=True):
    permissions: dict[str, Any]
    issues: list[str]
    fixes: tuple[Fix, ...] = ()
    healthy: bool
    os: str = ""
    session: str = ""
    peer: dict[str, Any]


async def desktop_doctor(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List what prevents reading or using the desktop, and how a person can fix it."""
    result = read_result(await desktop.ask(call, method_of(call.tool), {}, _DOCTOR_TIMEOUT_MS), DoctorResult)
    lines = [f"{fix.about}: {fix.issue} {fix.fix}".rstrip() for fix in result.fixes]
    headline = "Everything works." if not lines else "It works, but:" if result.healthy else "Something is missing."
    return Reply(result, text="\n".join([headline, *lines]))


DOCTOR = desktop_tool(desktop_doctor, Params, DoctorResult, "Desktop doctor", deadline_ms=_DOCTOR_TIMEOUT_MS)
