"""Recognizes LibreOffice, which reports some places wrongly and never frees the objects of cells."""

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused

_NAME = "soffice"


class LibreOffice:
    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus
        self._is_libreoffice: dict[str, bool] = {}

    async def is_app(self, app: str) -> bool:
        root = Ref(app, calls.ROOT_PATH)
        if (handle := self._bus.handle(root)) not in self._is_libreoffice:
            name = await self._bus.ask(root, calls.NAME)
            self._is_libreoffice[handle] = not isinstance(name, Refused) and str(name[0].value) == _NAME
        return self._is_libreoffice[handle]
