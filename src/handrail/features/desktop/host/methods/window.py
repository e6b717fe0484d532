"""desktop.window and desktop.menu: change a window as a whole, or choose from its menu bar."""

from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.desktop_port import Delivery, DesktopPort, WindowChange
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.own_windows import refuse_own_window
from handrail.features.desktop.host.params import Name, RoutedParams
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.ports.errors import NotFound

Pixels = Annotated[int, Bound(ge=-100_000, le=100_000)]
Extent = Annotated[int, Bound(ge=1, le=100_000)]


Titles = Annotated[list[Name], Bound(min_length=1, max_length=10)]


class WindowParams(RoutedParams, frozen=True, kw_only=True):
    action: Literal["close", "quit", "move", "resize", "minimize", "maximize", "restore"]
    x: Pixels | None = None
    y: Pixels | None = None
    width: Extent | None = None
    height: Extent | None = None

    def __post_init__(self) -> None:
        if (self.action == "move") is (None in (self.x, self.y)):
            raise ValueError("move needs x and y, and no other action takes them.")
        if (self.action == "resize") is (None in (self.width, self.height)):
            raise ValueError("resize needs width and height, and no other action takes them.")


async def _arrange(desktop: DesktopPort, execution: Execution, subject: Subject, params: WindowParams) -> Delivery:
    if params.action == "quit":
        windows = [window for window in subject.all_windows if window.pid == subject.window.pid]
        for window in windows:
            await refuse_own_window(desktop, window, subject.all_windows, acts=True)
        for window in windows:
            await desktop.arrange(window, WindowChange("close"))
        return Delivery(f"window:close:{len(windows)}")
    change = WindowChange(params.action, params.x or 0, params.y or 0, params.width or 0, params.height or 0)
    await desktop.arrange(subject.window, change)
    return Delivery(f"window:{params.action}")


WINDOW = Action(
    "desktop.window", WindowParams, "done", Services.window_subject, _arrange, needs_front=lambda subject: False
)


class MenuParams(RoutedParams, frozen=True, kw_only=True):
    path: Titles


async def _choose(desktop: DesktopPort, execution: Execution, subject: Subject, params: MenuParams) -> Delivery:
    try:
        return await desktop.choose(subject.window, params.path)
    except NotFound as error:
        raise ElementNotFound(error.message, hint=error.hint) from None


MENU = Action("desktop.menu", MenuParams, "done", Services.window_subject, _choose)
