"""The desktop as a backend sees it: windows, elements, and the three ports through which a host reads, acts and looks.

Knows no toolkit and no wire: roles are the contract's AX names, frames are screen pixels, and only the backend
understands a `handle`.
"""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class Rect:
    """Screen pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def meets(self, other: "Rect") -> "Rect | None":
        """What both cover, or None."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, right - left, bottom - top) if right > left and bottom > top else None


@dataclass(frozen=True, slots=True)
class Element:
    """One element as it was when it was read."""

    handle: str
    role: str
    native_role: str
    title: str = ""
    value: str | None = None
    frame: Rect | None = None
    states: frozenset[str] = frozenset()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    element: Element
    children: tuple["Node", ...] = ()
    is_cut: bool = False
    """Children were left out: because of a limit, or because there are too many and these can't be seen."""
    index: int | None = None
    """Its own among the app's children, where it is not its place among these."""


@dataclass(frozen=True, slots=True)
class Tree:
    root: Node
    count: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Found:
    """An element and its path from the window: `ancestors` begins with the window, `path` has child indexes."""

    element: Element
    ancestors: tuple[Element, ...] = ()
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """A top-level window of an app. `ids` are all names of the app that a route may use."""

    handle: str
    title: str
    app_name: str
    app_id: str
    ids: frozenset[str]
    pid: int
    frame: Rect | None
    is_front: bool = False
    is_modal: bool = False
    is_readable: bool = True
    """False for a window whose program tells nothing of what is in it."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in a window. `role` is an AX name or the toolkit's own; texts match without regard to case."""

    role: str | None = None
    title_contains: str | None = None
    value_contains: str | None = None


@dataclass(frozen=True, slots=True)
class Issue:
    """What is missing on this machine, and how to turn it on."""

    about: Literal["accessibility", "screenRecording", "input", "windowManager", "app"]
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Readiness:
    can_read: bool
    can_look: bool
    can_act: bool
    os: str
    session: str
    """x11, wayland, or empty where there is no display."""
    issues: Sequence[Issue] = ()


class Changes(Protocol):
    async def next(self, within: float) -> bool:
        """True as soon as something may have changed since the last call, False after `within` seconds."""
        ...


class Reader(Protocol):
    """The accessibility tree. PermissionMissing where there is none; Timeout where an app does not answer."""

    async def windows(self) -> Sequence[Window]:
        """The one in front first, also those that can't be read. Only windows of apps that hang are missing."""
        ...

    def silent(self) -> Collection[int]:
        """Processes whose windows are missing from the last list because they did not answer."""
        ...

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree: ...

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        """Every match, in the order of the tree."""
        ...

    async def addresses(self, window: Window) -> Sequence[str] | None:
        """Of the web pages that the window shows; None where it is a browser's and doesn't tell."""
        ...

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None: ...

    async def look(self, handle: str) -> Element | None:
        """The element as it is now; None when it is gone."""
        ...

    def changes(self, window: Window) -> AbstractAsyncContextManager[Changes]:
        """Follows what the window's app reports. Not every toolkit reports everything: look again now and then."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """How something reached the app: `action:Click`, `pointer`, `paste`, `keys`, `contents`."""

    by: str
    is_verified: bool | None = None
    """Whether the effect was observed; None if that is unknown."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Keys that are pressed together, in the contract's names: modifiers first, then at most one other key."""

    modifiers: tuple[str, ...]
    key: str | None = None


Place = tuple[int, int]
"""A point on the screen."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """What the pointer does at a place. Steps of a wheel: `down` and `right`, negative for the other way."""

    kind: Literal["click", "hover", "drag", "scroll"] = "click"
    button: Literal["left", "middle", "right"] = "left"
    count: int = 1
    to: Place | None = None
    """Where a drag ends."""
    down: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What becomes of a window: it is closed, or gets another place or size."""

    kind: Literal["close", "move", "resize", "minimize", "maximize", "restore"]
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class Actor(Protocol):
    """Mouse, keyboard and the elements' own actions. A cancelled call sends nothing more and lets go of every key."""

    async def bring_to_front(self, window: Window) -> bool: ...

    async def press(self, window: Window, element: Element) -> Delivery:
        """The element's own action, or a pointer click in the middle of what is visible of it."""
        ...

    async def window_at(self, x: int, y: int) -> Window | None:
        """The one that a click at this point would reach."""
        ...

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        """With the pointer itself, at what is visible of an element or at a place of the window.

        Conflict where something else would get it.
        """
        ...

    async def arrange(self, window: Window, change: Arrangement) -> None:
        """Asks the window manager. The program may refuse, or ask a person first."""
        ...

    async def focus(self, window: Window, element: Element) -> bool: ...

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery: ...

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        """A number of a slider, ticked or not, a text, or one of the element's own choices by its title."""
        ...

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        """From the window's menu bar. ElementNotFound says which titles there are instead."""
        ...

    async def clipboard(self) -> str | None:
        """Its text; None where it has none."""
        ...

    async def put_on_clipboard(self, text: str) -> None: ...

    async def launch(self, app: str, file: str | None) -> int:
        """Starts an installed app, and returns its process id."""
        ...

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        """Conflict as soon as another window has the keys: that is looked at before each combination."""
        ...


@dataclass(frozen=True, slots=True)
class Shot:
    """What was on the screen, as PNG."""

    png: bytes = field(repr=False)
    area: Rect
    crop: bytes = field(default=b"", repr=False)
    """The pixels of the part that was asked for, four bytes each: blue, green, red, and one without meaning."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A part of a window that no picture shows, such as a password field."""

    window: Window
    frame: Rect | None
    """None where its place is unknown: then the whole window is covered."""


class Mark(NamedTuple):
    """A number beside a place of the screen."""

    number: int
    frame: Rect


class Screen(Protocol):
    async def shot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[Covered] = (),
    ) -> Shot:
        """The whole screen, or the part of `area` that is on it; `outlined` is drawn around, `marked` are numbered.

        What can be seen of the windows `hidden` and of the parts `covered` is black. The pixels of `cropped` are given
        too, without the outline and with what is `covered`.
        """
        ...

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """Outlines it on the screen itself for a while; takes no input away and returns when it is shown."""
        ...


class Desktop(Reader, Actor, Screen, Protocol):
    async def readiness(self) -> Readiness: ...

    async def close(self) -> None: ...
