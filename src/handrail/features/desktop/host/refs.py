"""Short names for elements: while the host runs, `e:12` never means another element."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from handrail.features.desktop.host.conditions import StaleElement
from handrail.features.desktop.host.params import ElementRef
from handrail.features.desktop.platform import Element, Found, Rect, Window

MOST_REFS = 50_000
_MOST_SPOTS = 5_000


@dataclass(frozen=True, slots=True)
class Known:
    """The element of a name. With another role or title it counts as another element."""

    element_id: str
    window: str
    handle: str
    role: str
    title: str

    def is_same(self, element: Element | None) -> bool:
        return element is not None and (element.role, element.title) == (self.role, self.title)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that was found in the picture of a window, and where in the window it was."""

    window: str
    size: tuple[int, int]
    frame: Rect


class ElementRefs:
    def __init__(self, most: int = MOST_REFS) -> None:
        self._most = most
        self._count = 0
        self._by_id: OrderedDict[str, Known] = OrderedDict()
        self._by_identity: dict[tuple[str, str, str], str] = {}
        self._spots: OrderedDict[int, Spot] = OrderedDict()

    def mark(self, window: Window, frame: Rect) -> int:
        """The number of a place on the screen; no element has it."""
        assert window.frame is not None
        self._count += 1
        inside = Rect(frame.x - window.frame.x, frame.y - window.frame.y, frame.width, frame.height)
        self._spots[self._count] = Spot(window.handle, (window.frame.width, window.frame.height), inside)
        if len(self._spots) > _MOST_SPOTS:
            self._spots.popitem(last=False)
        return self._count

    def spot(self, number: int) -> Spot | None:
        """None for the number of an element."""
        return self._spots.get(number)

    def name(self, window: Window, element: Element) -> str:
        """Its name; a new one if it has none yet."""
        identity = (element.handle, element.role, element.title)
        if (known_id := self._by_identity.get(identity)) is not None:
            self._by_id.move_to_end(known_id)
            return known_id
        self._count += 1
        new = f"e:{self._count}"
        self._by_id[new] = Known(new, window.handle, *identity)
        self._by_identity[identity] = new
        if len(self._by_id) > self._most:
            _, forgotten = self._by_id.popitem(last=False)
            del self._by_identity[forgotten.handle, forgotten.role, forgotten.title]
        return new

    def known(self, ref: ElementRef) -> Known:
        """StaleElement for a name that is unknown or comes with the fingerprint of another element."""
        known = self._by_id.get(ref.element_id)
        if known is None:
            raise StaleElement(f"This host knows no element {ref.element_id!r}.", elementId=ref.element_id)
        if ref.fingerprint is not None and not _is_of(ref.fingerprint, known):
            raise StaleElement(f"The fingerprint is not that of {ref.element_id}.", elementId=ref.element_id)
        return known

    def naming(self, window: Window) -> Callable[[Element], str]:
        return lambda element: self.name(window, element)

    def spelled(self, window: Window, found: Found) -> dict[str, Any]:
        """An elementRef of the contract, plus `states` and `path`."""
        element = found.element
        return {
            "elementId": self.name(window, element),
            "fingerprint": fingerprint(element),
            "role": element.role,
            "title": element.title or None,
            "value": element.value,
            "frame": spelled_frame(element.frame),
            "states": sorted(element.states),
            "path": list(found.path),
        }


def fingerprint(element: Element) -> str:
    frame = element.frame or Rect(0, 0, 0, 0)
    return f"{element.role}|{element.title}|x={frame.x},y={frame.y},w={frame.width},h={frame.height}"


def window_id(window: Window) -> str:
    """A short name that no other window has while the app runs."""
    return "w:" + sha256(window.handle.encode()).hexdigest()[:12]


def spelled_frame(frame: Rect | None) -> dict[str, int] | None:
    if frame is None:
        return None
    return {"x": frame.x, "y": frame.y, "width": frame.width, "height": frame.height}


def _is_of(given: str, known: Known) -> bool:
    """Role and title must be the same; the position may differ."""
    return given.rpartition("|")[0] == f"{known.role}|{known.title}"
