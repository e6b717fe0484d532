"""Which apps are LibreOffice, which tells some things wrong and never forgets a cell."""

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused

_NAME = "soffice"


class LibreOffice:
    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus
        self._known: dict[str, bool] = {}

    async def is_app(self, app: str) -> bool:
        root = Ref(app, calls.ROOT_PATH)
        if (handle := self._bus.handle(root)) not in self._known:
            name = await self._bus.ask(root, calls.NAME)
            self._known[handle] = not isinstance(name, Refused) and str(name[0].value) == _NAME
        return self._known[handle]
