"""Where an app counts its pixels from: GTK 4 begins at its window, all others tell screen pixels."""

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.screen_windows import Look, ScreenWindow, ScreenWindows, paired

Origin = tuple[int, int]
SCREEN: Origin = (0, 0)


class Origins:
    def __init__(self, bus: AccessibilityBus, screen: ScreenWindows | None) -> None:
        self._bus = bus
        self._screen = screen
        self._counting_from_window: dict[str, bool] = {}

    async def of(self, app: str, window: Look) -> Origin:
        if self._screen is None or not await self.is_counting_from_window(app):
            return SCREEN
        return content_of(paired([window], self._screen.all())[0], window)

    async def is_counting_from_window(self, app: str, patience: float = PATIENCE) -> bool:
        handle = self._bus.handle(Ref(app, calls.ROOT_PATH))
        if handle not in self._counting_from_window:
            questions = [(calls.ROOT_PATH, calls.TOOLKIT), (calls.ROOT_PATH, calls.TOOLKIT_VERSION)]
            toolkit, version = await self._bus.tell_all(app, questions, patience)
            self._counting_from_window[handle] = (
                not isinstance(toolkit, Refused)
                and not isinstance(version, Refused)
                and toolkit[0].value == "GTK"
                and str(version[0].value).startswith("4.")
            )
        return self._counting_from_window[handle]


def content_of(window: ScreenWindow | None, look: Look) -> Origin:
    """Where the content begins: GTK leaves its own border out of the size that it tells."""
    if window is None:
        return SCREEN
    frame = window.visible_frame
    if look.frame is None:
        return frame.x, frame.y
    return (
        frame.x + max(frame.width - look.frame.width, 0) // 2,
        frame.y + max(frame.height - look.frame.height, 0) // 2,
    )
