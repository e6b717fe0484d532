"""desktop.click of contract 1."""

from typing import Literal

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Target
from handrail.features.desktop.messages import Acted, RoutedParams
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000


class Params(RoutedParams, frozen=True, kw_only=True):
    target: Target


class Result(Acted, frozen=True, kw_only=True):
    clicked: Literal[True]


async def desktop_click(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Click an element of a desktop window: by `target.elementRef` (the `elementId` from desktop_observe or
    desktop_find is enough), or by `target.selector`. The answer tells what changed. DESKTOP_ELEMENT_NOT_FOUND with
    `stale`: the element is gone or another; look again.
    """
    return await act_and_tell(desktop, call, preview, Result, "Clicked.", _WITHIN_MS)


def _summary(params: Params, target: str) -> str:
    return f"Click {target}"


TOOL = acting_tool(desktop_click, Params, Result, "Click", _summary, _WITHIN_MS)
