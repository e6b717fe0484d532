"""desktop.abort, health and doctor of contract 1."""

import asyncio
from typing import Any

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Name
from handrail.features.desktop.messages import DesktopParams, Said, read
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams

_WITHIN_MS = 10_000
_DOCTOR_WITHIN_MS = 15_000


class AbortParams(DesktopParams, frozen=True, kw_only=True):
    execution_id: Name | None = None


class AbortResult(Said, frozen=True, kw_only=True):
    aborted: bool
    execution_id: str | UnsetType = UNSET


async def desktop_abort(desktop: Desktop, call: Call, params: AbortParams, preview: Preview | None) -> Reply:
    """Stop a desktop call that is running: without `executionId`, all that you have running. No key and no click
    goes out after it.
    """
    running = desktop.running(call, params.execution_id)
    told = await asyncio.gather(*(desktop.abort(id, _WITHIN_MS) for id in running), return_exceptions=True)
    stopped = [answer for answer in told if not isinstance(answer, BaseException)]
    problems = [problem for problem in told if isinstance(problem, BaseException)]
    # What has ended meanwhile needs no stop; what could not be stopped must not pass for it.
    unstopped = [problem for problem in problems if not isinstance(problem, InvalidParams)]
    if unstopped or not stopped:
        raise (unstopped or problems)[0]
    return Reply(read(stopped[0], AbortResult), text=f"{len(stopped)} stopped.")


ABORT = desktop_tool(
    desktop_abort, AbortParams, AbortResult, "Stop", effect=Effect.PROCESS_CONTROL, deadline_ms=_WITHIN_MS
)


class HealthResult(Said, frozen=True, kw_only=True):
    host_version: str
    macos: str
    os: str = ""
    session: str = ""
    permissions: dict[str, str]
    bridge: dict[str, Any]
    peer: dict[str, Any]


async def desktop_health(desktop: Desktop, call: Call, params: DesktopParams, preview: Preview | None) -> Reply:
    """Check whether the desktop can be seen and used here. desktop_doctor lists what is missing."""
    result = read(await desktop.ask(call, method_of(call.tool), {}, _WITHIN_MS), HealthResult)
    return Reply(result, text=", ".join(f"{name} {state}" for name, state in result.permissions.items()))


HEALTH = desktop_tool(desktop_health, DesktopParams, HealthResult, "Desktop health", deadline_ms=_WITHIN_MS)


class Fix(Said, frozen=True, kw_only=True):
    about: str
    issue: str
    fix: str


class DoctorResult(Said, frozen=True, kw_only=True):
    permissions: dict[str, Any]
    issues: list[str]
    fixes: tuple[Fix, ...] = ()
    healthy: bool
    os: str = ""
    session: str = ""
    peer: dict[str, Any]


async def desktop_doctor(desktop: Desktop, call: Call, params: DesktopParams, preview: Preview | None) -> Reply:
    """List what keeps the desktop from being seen or used, and how a person fixes it."""
    result = read(await desktop.ask(call, method_of(call.tool), {}, _DOCTOR_WITHIN_MS), DoctorResult)
    lines = [f"{each.about}: {each.issue} {each.fix}".rstrip() for each in result.fixes]
    words = "Everything is there." if result.healthy else "Something is missing."
    return Reply(result, text="\n".join([words, *lines]))


DOCTOR = desktop_tool(desktop_doctor, DesktopParams, DoctorResult, "Desktop doctor", deadline_ms=_DOCTOR_WITHIN_MS)
