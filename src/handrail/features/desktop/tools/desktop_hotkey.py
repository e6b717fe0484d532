"""desktop.hotkey of contract 1."""

from typing import Annotated, Literal

from msgspec import Meta

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.actions import HotkeyOptions
from handrail.features.desktop.host.params import Name
from handrail.features.desktop.messages import Acted, RoutedParams
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000


class Params(RoutedParams, frozen=True, kw_only=True):
    keys: Annotated[list[Name], Meta(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


class Result(Acted, frozen=True, kw_only=True):
    sent: Literal[True]


async def desktop_hotkey(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Press keys together in a desktop window, such as `["ctrl", "s"]`, `["alt", "f4"]` or `["enter"]`; `cmd` is
    Control on Linux, `super` the logo key. The answer tells what changed.
    """
    return await act_and_tell(desktop, call, preview, Result, f"Pressed {'+'.join(params.keys)}.", _WITHIN_MS)


def _summary(params: Params, target: str) -> str:
    return f"Press {quoted('+'.join(params.keys))} in {target}"


TOOL = acting_tool(desktop_hotkey, Params, Result, "Press keys", _summary, _WITHIN_MS)
