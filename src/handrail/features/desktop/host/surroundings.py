"""What a person sees around a target: texts and values, or else pixels. An approval is bound to it.

In a dialog this is the whole dialog; in any other window only what is near the target, because the rest may change.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from handrail.features.desktop.desktop_port import DesktopPort, Element, Rect, Screenshot, Tree
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.selection import flatten
from handrail.kernel.digest import digest
from handrail.kernel.quoting import quote_text
from handrail.ports.errors import PermissionMissing, ShownChanged

PASSWORD_ROLE = "AXSecureTextField"
_MAX_DEPTH, _MAX_NODES = 40, 600
_NEAR_PIXELS = 160
_MAX_TEXT = 300
_DIALOGS = frozenset({"dialog", "alert", "file chooser", "color chooser", "notification"})
_CHANGING_ROLES = frozenset({"AXScrollBar", "AXProgressIndicator", "AXBusyIndicator", "AXScrollArea"})
_CLOCK_TIME = re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b")
_POINT_AREA = (240, 160)
_POINT_FRAME = 24
_MAX_PICTURES = 50


@dataclass(frozen=True, slots=True)
class Surroundings:
    lines: Sequence[str]
    fingerprint: str
    """The value that the call must send as `shown`."""
    is_focus_secret: bool
    """A password field has the focus."""


@dataclass(frozen=True, slots=True)
class _Picture:
    area: Rect
    bgrx: bytes = field(repr=False)


class ShownPictures:
    """Parts of the screen as they were shown, by hash. Keeps the pixels, because later ones are never identical."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, _Picture] = OrderedDict()

    def add(self, area: Rect, bgrx: bytes) -> str:
        name = sha256(bgrx).hexdigest()[:16]
        self._pictures[name] = _Picture(area, bgrx)
        self._pictures.move_to_end(name)
        if len(self._pictures) > _MAX_PICTURES:
            self._pictures.popitem(last=False)
        return name

    def get(self, name: str) -> _Picture | None:
        return self._pictures.get(name)


def pointed_area(subject: Subject) -> Rect | None:
    """Returns the part of the screen that identifies a target which only the pointer can reach."""
    element, (width, height) = subject.element, _POINT_AREA
    if subject.point is not None:
        x, y = subject.point
        area = Rect(x - width // 2, y - height // 2, width, height)
        return None if subject.window.frame is None else subject.window.frame.intersection(area)
    if element is None or element.actions or element.frame is None or not subject.window.is_front:
        return None
    x, y = element.frame.center
    return element.frame.intersection(Rect(x - width // 2, y - height // 2, width, height))


def outline_frame(subject: Subject) -> Rect | None:
    """Returns what is outlined for a person: the element, or a small frame around the point."""
    if subject.point is not None:
        x, y = subject.point
        return Rect(x - _POINT_FRAME // 2, y - _POINT_FRAME // 2, _POINT_FRAME, _POINT_FRAME)
    return subject.element.frame if subject.element is not None else None


async def read_surroundings(
    desktop: DesktopPort, subject: Subject, pictures: ShownPictures, shot: Screenshot | None
) -> Surroundings:
    """Reads the surroundings. `shot` is the picture that a person will see, with the pixels of `pointed_area`."""
    tree = await _tree(desktop, subject)
    lines, area = _lines(tree, subject), pointed_area(subject)
    name = pictures.add(area, shot.crop) if area is not None and shot is not None and shot.crop else ""
    return Surroundings(lines, f"{digest({'around': lines})[:32]}.{name}", _has_focused_password_field(tree))


async def types_into_password_field(desktop: DesktopPort, subject: Subject) -> bool:
    """Returns whether text typed there would go into a password field."""
    if subject.element is not None:
        return subject.element.role == PASSWORD_ROLE
    return _has_focused_password_field(await _tree(desktop, subject))


def _has_focused_password_field(tree: Tree) -> bool:
    return any(
        element.element.role == PASSWORD_ROLE and "focused" in element.element.states for element in flatten(tree.root)
    )


async def check_surroundings(
    desktop: DesktopPort, subject: Subject, pictures: ShownPictures, shown: str | None
) -> None:
    """Raises ShownChanged if they differ from what a person was `shown`, which is None if no one was asked."""
    if shown is None:
        return
    texts, _, name = shown.partition(".")
    lines = _lines(await _tree(desktop, subject), subject)
    if digest({"around": lines})[:32] != texts:
        raise _changed("The texts or values around the target have changed.")
    if not name:
        return
    picture_before = pictures.get(name)
    if picture_before is None or not await _looks_the_same(desktop, picture_before):
        raise _changed("The place on the screen looks different.")


def _changed(why: str) -> ShownChanged:
    return ShownChanged(
        f"{why} Nothing was sent.", hint="Observe the window again, then repeat the call.", stale=True, changed=True
    )


async def _looks_the_same(desktop: DesktopPort, picture_before: _Picture) -> bool:
    try:
        after = await desktop.screenshot(picture_before.area, cropped=picture_before.area)
    except PermissionMissing:
        return False
    return looks_alike(picture_before.bgrx, after.crop, picture_before.area.width)


_MAX_COLOUR_DIFFERENCE = 40
_MAX_NOISE_PIXELS = 6
_CARET_SIZE = (3, 48)
_MAX_COMPARED_ROWS = 96


def looks_alike(before: bytes, after: bytes, width: int) -> bool:
    """Returns whether two pictures look the same to a person.

    A pixel differs where one of its colours does by more than 40 of 255, which antialiasing and fading don't reach.
    Up to 6 such pixels are noise, and a block of up to 3 × 48 of them is a blinking caret. Anything more is a change.
    """
    if before == after:
        return True
    if len(before) != len(after):
        return False
    rows = [
        row for row in range(0, len(before), width * 4) if before[row : row + width * 4] != after[row : row + width * 4]
    ]
    if len(rows) > _MAX_COMPARED_ROWS:  # more rows than a caret is high
        rows = rows[:: max(1, len(rows) // _MAX_COMPARED_ROWS)]
    differing = [
        (offset % (width * 4) // 4, offset // (width * 4))
        for row in rows
        for offset in range(row, row + width * 4, 4)
        if any(abs(before[offset + colour] - after[offset + colour]) > _MAX_COLOUR_DIFFERENCE for colour in range(3))
    ]
    if len(differing) <= _MAX_NOISE_PIXELS:
        return True
    across, down = [x for x, _ in differing], [y for _, y in differing]
    return max(across) - min(across) < _CARET_SIZE[0] and max(down) - min(down) < _CARET_SIZE[1]


async def _tree(desktop: DesktopPort, subject: Subject) -> Tree:
    return await desktop.tree(subject.window, max_depth=_MAX_DEPTH, max_nodes=_MAX_NODES)


def _lines(tree: Tree, subject: Subject) -> list[str]:
    is_dialog = subject.window.is_modal or tree.root.element.native_role in _DIALOGS
    place = outline_frame(subject)
    near = None if place is None else _inflated(place)
    return [_line(element) for element in _texts(tree) if is_dialog or _is_near(element, near)]


def _texts(tree: Tree) -> list[Element]:
    inside = (located.element for located in flatten(tree.root) if located.path)
    return [
        element
        for element in inside
        if "showing" in element.states and element.role not in _CHANGING_ROLES and (element.title or element.value)
    ]


def _is_near(element: Element, near: Rect | None) -> bool:
    """Without a target, the focused element counts, because it gets the keys."""
    if near is None:
        return "focused" in element.states
    return element.frame is not None and element.frame.intersection(near) is not None


def _inflated(frame: Rect) -> Rect:
    return Rect(
        frame.x - _NEAR_PIXELS, frame.y - _NEAR_PIXELS, frame.width + 2 * _NEAR_PIXELS, frame.height + 2 * _NEAR_PIXELS
    )


def _line(element: Element) -> str:
    """`textfield "Amount" = "1"`"""
    words = [element.role.removeprefix("AX").lower(), quote_text(_without_clock_times(element.title), _MAX_TEXT)]
    if element.value:
        words.append(f"= {quote_text(_without_clock_times(element.value), _MAX_TEXT)}")
    if "checked" in element.states:
        words.append("(checked)")
    return " ".join(words)


def _without_clock_times(text: str) -> str:
    """Clocks change on their own."""
    return _CLOCK_TIME.sub("…", text)
