"""desktop.doctor of contract 1."""

from typing import Any

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.messages import DesktopParams, Said, read
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 15_000


class Params(DesktopParams, frozen=True, kw_only=True):
    pass


class Fix(Said, frozen=True, kw_only=True):
    about: str
    issue: str
    fix: str


class Result(Said, frozen=True, kw_only=True):
    permissions: dict[str, Any]
    issues: list[str]
    fixes: tuple[Fix, ...] = ()
    healthy: bool
    os: str = ""
    session: str = ""
    peer: dict[str, Any]


async def desktop_doctor(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Tell precisely what keeps the desktop from being seen or acted on, and how a person turns it on."""
    result = read(await desktop.ask(call, method_of(call.tool), {}, _WITHIN_MS), Result)
    lines = [f"{each.about}: {each.issue} {each.fix}".rstrip() for each in result.fixes]
    words = "Everything is there." if result.healthy else "Something is missing."
    return Reply(result, text="\n".join([words, *lines]))


TOOL = desktop_tool(desktop_doctor, Params, Result, "Desktop doctor", deadline_ms=_WITHIN_MS)
