"""desktop.health of contract 1."""

from typing import Any

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.messages import DesktopParams, Said, read
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 10_000


class Params(DesktopParams, frozen=True, kw_only=True):
    pass


class Result(Said, frozen=True, kw_only=True):
    host_version: str
    macos: str
    os: str = ""
    session: str = ""
    permissions: dict[str, str]
    bridge: dict[str, Any]
    peer: dict[str, Any]


async def desktop_health(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Whether the desktop can be seen and acted on here. desktop_doctor tells what is missing."""
    result = read(await desktop.ask(call, method_of(call.tool), {}, _WITHIN_MS), Result)
    return Reply(result, text=", ".join(f"{name} {state}" for name, state in result.permissions.items()))


TOOL = desktop_tool(desktop_health, Params, Result, "Desktop health", deadline_ms=_WITHIN_MS)
