"""desktop.window: a window as a whole is closed, alone or with all of its program, moved, resized, maximized …"""

from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import ConfirmedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.platform import Arrangement, Delivery, Desktop

Pixels = Annotated[int, Bound(ge=-100_000, le=100_000)]
Extent = Annotated[int, Bound(ge=1, le=100_000)]


class WindowParams(ConfirmedParams, frozen=True, kw_only=True):
    action: Literal["close", "quit", "move", "resize", "minimize", "maximize", "restore"]
    x: Pixels | None = None
    y: Pixels | None = None
    width: Extent | None = None
    height: Extent | None = None

    def __post_init__(self) -> None:
        if (self.action == "move") is (None in (self.x, self.y)):
            raise ValueError("x and y belong to move, which needs both.")
        if (self.action == "resize") is (None in (self.width, self.height)):
            raise ValueError("width and height belong to resize, which needs both.")


async def _subject(services: Services, params: WindowParams) -> Subject:
    return Subject.of(await (await services.search()).routed(params.route))


async def _arrange(desktop: Desktop, execution: Execution, subject: Subject, params: WindowParams) -> Delivery:
    if params.action == "quit":
        own = [window for window in subject.everything if window.pid == subject.window.pid]
        for window in own:
            await desktop.arrange(window, Arrangement("close"))
        return Delivery(f"window:close:{len(own)}")
    change = Arrangement(params.action, params.x or 0, params.y or 0, params.width or 0, params.height or 0)
    await desktop.arrange(subject.window, change)
    return Delivery(f"window:{params.action}")


METHOD = Action("desktop.window", WindowParams, "done", _subject, _arrange, needs_front=lambda subject: False)
