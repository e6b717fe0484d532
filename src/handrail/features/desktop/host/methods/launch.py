"""desktop.launch and desktop.clipboard: actions without a window."""

import asyncio
import os
from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Window
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.outline import window_to_wire
from handrail.features.desktop.host.params import LONGEST_TEXT, Name, Params
from handrail.features.desktop.host.services import Result, Services, WindowlessAction
from handrail.ports.errors import InvalidParams

_WINDOW_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.1


class LaunchParams(Params, frozen=True, kw_only=True):
    app: Name
    file: Name | None = None
    """A path inside the workspace."""


async def _launch(services: Services, execution: Execution, params: LaunchParams) -> Result:
    file = None
    if params.file is not None:
        if not execution.workspace.has(params.file):
            raise InvalidParams("params.file: there is no such file in the workspace.", field="params.file")
        file = os.path.join(execution.workspace.location, params.file)
    desktop = await services.source.get()
    handles_before = {window.handle for window in await desktop.windows()}
    pid = await desktop.launch(params.app, file)
    window: Window | None = None
    try:
        async with asyncio.timeout(_WINDOW_TIMEOUT_SECONDS):
            while window is None:
                await asyncio.sleep(_POLL_SECONDS)
                window = next((one for one in await desktop.windows() if one.handle not in handles_before), None)
    except TimeoutError:
        return {"launched": True, "pid": pid, "window": None}
    return {"launched": True, "pid": pid, "window": window_to_wire(window)}


LAUNCH = WindowlessAction("desktop.launch", LaunchParams, _launch, about=lambda params: params.app)


class ClipboardParams(Params, frozen=True, kw_only=True):
    action: Literal["read", "write"]
    text: Annotated[str, Bound(max_length=LONGEST_TEXT)] | None = None

    def __post_init__(self) -> None:
        if (self.action == "write") is (self.text is None):
            raise ValueError("write needs text, and read takes none.")


async def _clipboard(services: Services, execution: Execution, params: ClipboardParams) -> Result:
    desktop = await services.source.get()
    if params.text is not None:
        await desktop.put_on_clipboard(params.text)
        return {"done": True}
    return {"done": True, "text": await desktop.clipboard()}


CLIPBOARD = WindowlessAction(
    "desktop.clipboard", ClipboardParams, _clipboard, about=lambda params: "clipboard", unrecorded=frozenset({"text"})
)
