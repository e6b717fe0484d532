"""Short names for elements. While the host runs, `e:12` never means another element."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from handrail.features.desktop.desktop_port import Element, LocatedElement, Rect, Window
from handrail.features.desktop.host.conditions import StaleElement
from handrail.features.desktop.host.params import ElementRef

MAX_REFS = 50_000
_MAX_MARKS = 5_000


@dataclass(frozen=True, slots=True)
class NamedElement:
    """The element that a name stands for. With another role or title it counts as a different element."""

    element_id: str
    window: str
    handle: str
    role: str
    title: str

    def is_same(self, element: Element | None) -> bool:
        return element is not None and (element.role, element.title) == (self.role, self.title)


@dataclass(frozen=True, slots=True)
class PictureMark:
    """A place that was marked in the picture of a window; `frame` is relative to the window."""

    window: str
    size: tuple[int, int]
    frame: Rect


class ElementRefs:
    def __init__(self, max_refs: int = MAX_REFS) -> None:
        self._max_refs = max_refs
        self._count = 0
        self._by_id: OrderedDict[str, NamedElement] = OrderedDict()
        self._ids_by_identity: dict[tuple[str, str, str], str] = {}
        self._marks: OrderedDict[int, PictureMark] = OrderedDict()

    def mark(self, window: Window, frame: Rect) -> int:
        """Assigns a number to a place of a window. No element has the same number."""
        assert window.frame is not None
        self._count += 1
        relative_frame = Rect(frame.x - window.frame.x, frame.y - window.frame.y, frame.width, frame.height)
        self._marks[self._count] = PictureMark(window.handle, (window.frame.width, window.frame.height), relative_frame)
        if len(self._marks) > _MAX_MARKS:
            self._marks.popitem(last=False)
        return self._count

    def picture_mark(self, number: int) -> PictureMark | None:
        """Returns None if the number belongs to an element."""
        return self._marks.get(number)

    def name(self, window: Window, element: Element) -> str:
        """Returns the element's name, and assigns one if it has none yet."""
        identity = (element.handle, element.role, element.title)
        if (id := self._ids_by_identity.get(identity)) is not None:
            self._by_id.move_to_end(id)
            return id
        self._count += 1
        new_id = f"e:{self._count}"
        self._by_id[new_id] = NamedElement(new_id, window.handle, *identity)
        self._ids_by_identity[identity] = new_id
        if len(self._by_id) > self._max_refs:
            _, oldest = self._by_id.popitem(last=False)
            del self._ids_by_identity[oldest.handle, oldest.role, oldest.title]
        return new_id

    def resolve(self, ref: ElementRef) -> NamedElement:
        """StaleElement if the name is unknown or the fingerprint belongs to another element."""
        element = self._by_id.get(ref.element_id)
        if element is None:
            raise StaleElement(f"This host knows no element {ref.element_id!r}.", elementId=ref.element_id)
        if ref.fingerprint is not None and not _has_same_name(ref.fingerprint, element):
            raise StaleElement(f"The fingerprint doesn't belong to {ref.element_id}.", elementId=ref.element_id)
        return element

    def namer(self, window: Window) -> Callable[[Element], str]:
        return lambda element: self.name(window, element)

    def to_wire(self, window: Window, located: LocatedElement) -> dict[str, Any]:
        """Returns an elementRef of the contract, plus `states` and `path`."""
        element = located.element
        return {
            "elementId": self.name(window, element),
            "fingerprint": fingerprint(element),
            "role": element.role,
            "title": element.title or None,
            "value": element.value,
            "frame": frame_to_wire(element.frame),
            "states": sorted(element.states),
            "path": list(located.path),
        }


def fingerprint(element: Element) -> str:
    frame = element.frame or Rect(0, 0, 0, 0)
    return f"{element.role}|{element.title}|x={frame.x},y={frame.y},w={frame.width},h={frame.height}"


def window_id(window: Window) -> str:
    """Returns a short name that no other window has while the app runs."""
    return "w:" + sha256(window.handle.encode()).hexdigest()[:12]


def frame_to_wire(frame: Rect | None) -> dict[str, int] | None:
    if frame is None:
        return None
    return {"x": frame.x, "y": frame.y, "width": frame.width, "height": frame.height}


def _has_same_name(fingerprint: str, element: NamedElement) -> bool:
    """Compares role and title; the position may differ."""
    return fingerprint.rpartition("|")[0] == f"{element.role}|{element.title}"
