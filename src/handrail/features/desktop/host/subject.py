"""What a call acts on, and whether it still is that at the moment of acting. Never anything else in its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handrail.features.desktop.host.conditions import StaleElement
from handrail.features.desktop.host.confirmation import Consent
from handrail.features.desktop.host.routing import Routed, refuse_blocked
from handrail.features.desktop.platform import Element, Found, Reader, Window
from handrail.ports.errors import Timeout


@dataclass(frozen=True, slots=True)
class Subject:
    """`element` is None where the window itself gets the keys; `everything` are the windows that there were."""

    window: Window
    element: Element | None
    everything: Sequence[Window]
    route: Mapping[str, Any]
    """The window as `routeResolved` spells it."""
    path: tuple[int, ...] = ()

    @classmethod
    def of(cls, routed: Routed, window: Window | None = None, found: Found | None = None) -> "Subject":
        element, path = (None, ()) if found is None else (found.element, found.path)
        return cls(window or routed.window, element, routed.everything, routed.spelled(), path)

    def check(self, consent: Consent) -> None:
        """Unconfirmed where a person was shown something else; ModalBlocking."""
        consent.check(self.window, self.element)
        refuse_blocked(self.everything, self.window)

    async def again(self, reader: Reader) -> "Subject":
        """As it is now. StaleElement for what is gone or has become something else; where it went is no matter."""
        everything = await reader.windows()
        window = next((one for one in everything if one.handle == self.window.handle), None)
        if window is None:
            if self.window.pid in reader.silent():
                raise Timeout("The app does not answer, so nothing was sent.")
            raise StaleElement("The window is gone.", window=self.window.title)
        if self.element is None:
            return replace(self, window=window, everything=everything)
        element = await reader.look(self.element.handle)
        if element is None:
            raise StaleElement("The element is gone.", was=_spelled(self.element))
        if (element.role, element.title) != (self.element.role, self.element.title):
            was, is_now = _spelled(self.element), _spelled(element)
            raise StaleElement("The element has become something else.", was=was, isNow=is_now)
        return replace(self, window=window, element=element, everything=everything)


def _spelled(element: Element) -> dict[str, str]:
    return {"role": element.role, "title": element.title}
