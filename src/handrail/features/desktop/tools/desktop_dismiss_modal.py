"""desktop.dismissModal, an extension of contract 1."""

from typing import Literal

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.dismiss_modal import Strategy
from handrail.features.desktop.messages import Acted, RoutedParams
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000


class Params(RoutedParams, frozen=True, kw_only=True):
    strategy: Strategy


class Result(Acted, frozen=True, kw_only=True):
    dismissed: Literal[True]


async def desktop_dismiss_modal(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Close the modal window in front: by its default button, by the button whose title contains a text
    (`byTitle` with `titleContains`), or by Escape (`esc`). desktop_list_modals shows the windows and buttons.
    """
    return await act_and_tell(desktop, call, preview, Result, "Dismissed.", _WITHIN_MS)


def _summary(params: Params, target: str) -> str:
    strategy = params.strategy
    if strategy.type == "esc":
        return f"Press Escape in {target}"
    if strategy.type == "defaultButton":
        return f"Dismiss by the default button: {target}"
    return f"Dismiss by the button with {quoted(strategy.title_contains or '')}: {target}"


TOOL = acting_tool(desktop_dismiss_modal, Params, Result, "Dismiss a modal window", _summary, _WITHIN_MS)
