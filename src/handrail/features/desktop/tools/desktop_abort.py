"""desktop.abort of contract 1."""

import asyncio

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Name
from handrail.features.desktop.messages import DesktopParams, Said, read
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams

_WITHIN_MS = 10_000


class Params(DesktopParams, frozen=True, kw_only=True):
    execution_id: Name | None = None


class Result(Said, frozen=True, kw_only=True):
    aborted: bool
    execution_id: str | UnsetType = UNSET


async def desktop_abort(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
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
    return Reply(read(stopped[0], Result), text=f"{len(stopped)} stopped.")


TOOL = desktop_tool(desktop_abort, Params, Result, "Stop", effect=Effect.PROCESS_CONTROL, deadline_ms=_WITHIN_MS)
