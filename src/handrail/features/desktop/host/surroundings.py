"""What a person sees around a target, so that their yes is bound to it: texts and values, or pixels where it has none.

In a dialog that is all of it. In any other window it is what is near the target: the rest may change as it likes.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.selection import flattened
from handrail.features.desktop.platform import Desktop, Element, Rect, Shot, Tree
from handrail.kernel.digest import digest
from handrail.kernel.quoting import quote_text
from handrail.ports.errors import PermissionMissing, ShownChanged

SECRET = "AXSecureTextField"
_DEPTH, _NODES = 40, 600
_NEAR = 160
_LONGEST = 300
_DIALOGS = frozenset({"dialog", "alert", "file chooser", "color chooser", "notification"})
_RESTLESS = frozenset({"AXScrollBar", "AXProgressIndicator", "AXBusyIndicator", "AXScrollArea"})
_TICKING = re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b")
_AROUND_POINT = (240, 160)
_SPOT = 24
_MOST_PICTURES = 50


@dataclass(frozen=True, slots=True)
class Around:
    lines: Sequence[str]
    seen: str
    """What `shown` of the call that acts must be."""
    is_focus_secret: bool
    """Keys would go into a password field."""


@dataclass(frozen=True, slots=True)
class _Pixels:
    area: Rect
    bgrx: bytes = field(repr=False)


class Pictures:
    """Parts of the screen as they were shown, by their hash: what is compared with them is never quite the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Pixels] = OrderedDict()

    def keep(self, area: Rect, bgrx: bytes) -> str:
        name = sha256(bgrx).hexdigest()[:16]
        self._kept[name] = _Pixels(area, bgrx)
        self._kept.move_to_end(name)
        if len(self._kept) > _MOST_PICTURES:
            self._kept.popitem(last=False)
        return name

    def find(self, name: str) -> _Pixels | None:
        return self._kept.get(name)


def pointed_area(subject: Subject) -> Rect | None:
    """The part of the screen by which a person knows an element that only a pointer can press."""
    element, (width, height) = subject.element, _AROUND_POINT
    if subject.point is not None:
        x, y = subject.point
        around_it = Rect(x - width // 2, y - height // 2, width, height)
        return None if subject.window.frame is None else subject.window.frame.meets(around_it)
    if element is None or element.actions or element.frame is None or not subject.window.is_front:
        return None
    x, y = element.frame.center
    return element.frame.meets(Rect(x - width // 2, y - height // 2, width, height))


def place_of(subject: Subject) -> Rect | None:
    """What is outlined for a person: the element, or a little frame around the point."""
    if subject.point is not None:
        x, y = subject.point
        return Rect(x - _SPOT // 2, y - _SPOT // 2, _SPOT, _SPOT)
    return subject.element.frame if subject.element is not None else None


async def around(desktop: Desktop, subject: Subject, pictures: Pictures, shot: Shot | None) -> Around:
    """`shot` is the picture that a person will see, with the pixels of `pointed_area`."""
    tree = await _tree(desktop, subject)
    lines, area = _lines(tree, subject), pointed_area(subject)
    name = pictures.keep(area, shot.crop) if area is not None and shot is not None and shot.crop else ""
    return Around(lines, f"{digest({'around': lines})[:32]}.{name}", _has_focused_secret(tree))


async def types_secretly(desktop: Desktop, subject: Subject) -> bool:
    """Whether what is typed there goes into a password field."""
    if subject.element is not None:
        return subject.element.role == SECRET
    return _has_focused_secret(await _tree(desktop, subject))


def _has_focused_secret(tree: Tree) -> bool:
    return any(one.element.role == SECRET and "focused" in one.element.states for one in flattened(tree.root))


async def check_around(desktop: Desktop, subject: Subject, pictures: Pictures, shown: str | None) -> None:
    """ShownChanged if what a person saw around the target is not there any more. None: nobody saw it."""
    if shown is None:
        return
    texts, _, name = shown.partition(".")
    lines = _lines(await _tree(desktop, subject), subject)
    if digest({"around": lines})[:32] != texts:
        raise _changed("The texts or values around the target have changed.")
    if not name:
        return
    before = pictures.find(name)
    if before is None or not await _looks_the_same(desktop, before):
        raise _changed("The place on the screen looks different.")


def _changed(why: str) -> ShownChanged:
    return ShownChanged(f"{why} Nothing was sent.", hint="Look again, and ask again.", stale=True, changed=True)


async def _looks_the_same(desktop: Desktop, before: _Pixels) -> bool:
    try:
        now = await desktop.shot(before.area, cropped=before.area)
    except PermissionMissing:
        return False
    return is_alike(before.bgrx, now.crop, before.area.width)


_DIFFERENCE = 40
_NOISE = 6
_CARET = (3, 48)
_MOST_ROWS = 96


def is_alike(before: bytes, now: bytes, width: int) -> bool:
    """Whether two pictures show the same to a person.

    A pixel differs where one of its colours does by more than 40 of 255, which antialiasing and fading don't reach.
    Up to 6 such pixels are noise, and a block of up to 3 × 48 of them is a blinking caret. Anything more is a change.
    """
    if before == now:
        return True
    if len(before) != len(now):
        return False
    rows = [
        row for row in range(0, len(before), width * 4) if before[row : row + width * 4] != now[row : row + width * 4]
    ]
    if len(rows) > _MOST_ROWS:  # more than a caret is high
        rows = rows[:: max(1, len(rows) // _MOST_ROWS)]
    differing = [
        (at % (width * 4) // 4, at // (width * 4))
        for row in rows
        for at in range(row, row + width * 4, 4)
        if any(abs(before[at + colour] - now[at + colour]) > _DIFFERENCE for colour in range(3))
    ]
    if len(differing) <= _NOISE:
        return True
    across, down = [x for x, _ in differing], [y for _, y in differing]
    return max(across) - min(across) < _CARET[0] and max(down) - min(down) < _CARET[1]


async def _tree(desktop: Desktop, subject: Subject) -> Tree:
    return await desktop.tree(subject.window, max_depth=_DEPTH, max_nodes=_NODES)


def _lines(tree: Tree, subject: Subject) -> list[str]:
    is_dialog = subject.window.is_modal or tree.root.element.native_role in _DIALOGS
    place = place_of(subject)
    near = None if place is None else _inflated(place)
    return [_line(one) for one in _texts(tree) if is_dialog or _is_near(one, near)]


def _texts(tree: Tree) -> list[Element]:
    inside = (found.element for found in flattened(tree.root) if found.path)
    return [one for one in inside if "showing" in one.states and one.role not in _RESTLESS and (one.title or one.value)]


def _is_near(element: Element, near: Rect | None) -> bool:
    """Without a target, what has the focus gets the keys."""
    if near is None:
        return "focused" in element.states
    return element.frame is not None and element.frame.meets(near) is not None


def _inflated(frame: Rect) -> Rect:
    return Rect(frame.x - _NEAR, frame.y - _NEAR, frame.width + 2 * _NEAR, frame.height + 2 * _NEAR)


def _line(element: Element) -> str:
    """`textfield "Amount" = "1"`"""
    words = [element.role.removeprefix("AX").lower(), quote_text(_still(element.title), _LONGEST)]
    if element.value:
        words.append(f"= {quote_text(_still(element.value), _LONGEST)}")
    if "checked" in element.states:
        words.append("(checked)")
    return " ".join(words)


def _still(text: str) -> str:
    """A clock ticks by itself."""
    return _TICKING.sub("…", text)
