"""desktop.waitUntil of contract 1."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.features.desktop.declaration import desktop_tool
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.wait_until import Condition
from handrail.features.desktop.host.params import Milliseconds
from handrail.features.desktop.messages import Executed, Ref, RoutedParams, on_wire, read
from handrail.features.desktop.windows import ask_of_window, locate
from handrail.features.desktop.wording import ref_line, said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_MARGIN_MS = 5_000  # the wait has its own end, before that of the call


class Params(RoutedParams, frozen=True, kw_only=True):
    condition: Condition
    timeout_ms: Milliseconds
    poll_ms: Annotated[int, Meta(ge=10, le=60_000)] = 500


class Result(Executed, frozen=True, kw_only=True):
    ok: Literal[True]
    matched: int | UnsetType = UNSET
    elapsed_ms: int | UnsetType = UNSET
    element_refs: list[Ref] | UnsetType = UNSET


async def desktop_wait_until(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Wait until an element of a desktop window is there (`selectorExists`), is gone (`selectorGone`), or has a text
    in its value (`valueContains`); `timeoutMs` at most, then DESKTOP_TIMEOUT.
    """
    within = params.timeout_ms + _MARGIN_MS
    result = read(await ask_of_window(desktop, call, on_wire(params), within), Result)
    await desktop.check_place(call, result.route_resolved)
    waited = "" if result.elapsed_ms is UNSET else f" after {result.elapsed_ms / 1000:.1f} s"
    refs = () if result.element_refs is UNSET else result.element_refs
    return Reply(result, text=said(f"It is so{waited}.", "\n".join(map(ref_line, refs))))


TOOL = desktop_tool(desktop_wait_until, Params, Result, "Wait for an element", deadline_ms=60_000, locate=locate)
