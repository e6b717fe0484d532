"""desktop.highlight, an extension of contract 1."""

from typing import Annotated

from msgspec import Meta

from handrail.features.desktop.declaration import desktop_tool
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Target
from handrail.features.desktop.messages import Executed, RoutedParams, on_wire, read
from handrail.features.desktop.windows import ask_of_window
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 15_000


class Params(RoutedParams, frozen=True, kw_only=True):
    target: Target
    duration_ms: Annotated[int, Meta(ge=1, le=60_000)] | None = None


class Result(Executed, frozen=True, kw_only=True):
    highlighted: bool


async def desktop_highlight(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Outline an element on the screen for a moment, so that the person sees which one is meant. It takes no input
    away and changes nothing.
    """
    result = read(await ask_of_window(desktop, call, on_wire(params), _WITHIN_MS), Result)
    await desktop.check_place(call, result.route_resolved)
    return Reply(result, text="It is outlined on the screen.")


TOOL = desktop_tool(desktop_highlight, Params, Result, "Outline an element", deadline_ms=_WITHIN_MS)
