"""The port between the desktop host and its backends: windows, elements, and what can be read, done and photographed.

It is independent of toolkits and wires: roles are the contract's AX names, frames are in screen pixels, and only the
backend understands a `handle`.
"""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in screen pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def intersection(self, other: "Rect") -> "Rect | None":
        """The area that both cover, or None."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, right - left, bottom - top) if right > left and bottom > top else None


@dataclass(frozen=True, slots=True)
class Element:
    """An element as it was when it was read."""

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
    """Some children were left out: beyond a limit, or invisible ones of very many."""
    index: int | None = None
    """The app's own index of this child, if that differs from its position in the parent's `children`."""


@dataclass(frozen=True, slots=True)
class Tree:
    root: Node
    count: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class LocatedElement:
    """An element and its path from the window: `ancestors` starts with the window, `path` has the child indexes."""

    element: Element
    ancestors: tuple[Element, ...] = ()
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """A top-level window of an app. `ids` are all names by which a route may address the app."""

    handle: str
    title: str
    app_name: str
    app_id: str
    ids: frozenset[str]
    pid: int
    frame: Rect | None
    is_front: bool = False
    is_modal: bool = False
    is_minimized: bool = False
    is_readable: bool = True
    """False if the program exposes no elements, so that only a picture shows what the window contains."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to search for in a window. `role` is an AX name or the toolkit's own name; texts ignore case."""

    role: str | None = None
    title_contains: str | None = None
    value_contains: str | None = None


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that is missing on this machine, and how to fix it."""

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
        """Returns True as soon as something may have changed since the last call, and False after `within` seconds."""
        ...


class Reader(Protocol):
    """Reads the accessibility tree. PermissionMissing without accessibility; Timeout if an app does not answer."""

    async def windows(self) -> Sequence[Window]:
        """Lists all windows, the one in front first, except those of apps that do not respond."""
        ...

    def unresponsive_pids(self) -> Collection[int]:
        """Returns the processes whose windows are missing from the last list because they did not respond."""
        ...

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree: ...

    async def find(self, window: Window, query: Query) -> Sequence[LocatedElement]:
        """Returns every match, in tree order."""
        ...

    async def page_addresses(self, window: Window) -> Sequence[str] | None:
        """Returns the addresses of the web pages in the window; None for a browser that does not report them."""
        ...

    async def element_at_path(self, window: Window, path: Sequence[int]) -> LocatedElement | None: ...

    async def read_element(self, handle: str) -> Element | None:
        """Returns the element as it is now; None if it is gone."""
        ...

    def changes(self, window: Window) -> AbstractAsyncContextManager[Changes]:
        """Follows the changes that the window's app reports. Toolkits don't report all of them, so poll as well."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """How something reached the app: `action:Click`, `pointer`, `paste`, `keys`, `contents`."""

    by: str
    is_verified: bool | None = None
    """Whether the effect was observed; None if that is unknown."""


@dataclass(frozen=True, slots=True)
class KeyCombination:
    """Keys that are pressed together, by the contract's names: modifiers first, then at most one other key."""

    modifiers: tuple[str, ...]
    key: str | None = None


Place = tuple[int, int]
"""A point on the screen."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """What the pointer does at a place. `down` and `right` count wheel steps; negative ones go up and left."""

    kind: Literal["click", "hover", "drag", "scroll"] = "click"
    button: Literal["left", "middle", "right"] = "left"
    count: int = 1
    to: Place | None = None
    """Where a drag ends."""
    down: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class WindowChange:
    """A change to a window as a whole: closing, moving, resizing and so on."""

    kind: Literal["close", "move", "resize", "minimize", "maximize", "restore"]
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class Actor(Protocol):
    """Uses mouse, keyboard and the elements' own actions. A cancelled call stops at once and releases every key."""

    async def bring_to_front(self, window: Window) -> bool: ...

    async def press(self, window: Window, element: Element) -> Delivery:
        """Runs the element's own action, or else clicks in the middle of its visible part."""
        ...

    async def window_at(self, x: int, y: int) -> Window | None:
        """Returns the window that a click at this point would reach."""
        ...

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        """Uses the pointer at the visible part of an element, or at a point of the window.

        Conflict if something else would receive it.
        """
        ...

    async def arrange(self, window: Window, change: WindowChange) -> None:
        """Asks the window manager to change the window. The program may refuse, or ask a person first."""
        ...

    async def focus(self, window: Window, element: Element) -> bool: ...

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery: ...

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        """Sets a number (slider), a boolean (check box), a text, or one of the element's options by its title."""
        ...

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        """Chooses an item of the window's menu bar. NotFound lists the titles that exist."""
        ...

    async def clipboard(self) -> str | None:
        """Returns the clipboard's text; None if it has none."""
        ...

    async def put_on_clipboard(self, text: str) -> None: ...

    async def launch(self, app: str, file: str | None) -> int:
        """Starts an installed app and returns its process id."""
        ...

    async def send_keys(self, window: Window, combinations: Sequence[KeyCombination], *, delay_ms: int) -> None:
        """Sends key combinations. Before each of them, Conflict if another window has the keyboard focus."""
        ...


@dataclass(frozen=True, slots=True)
class Screenshot:
    """What was on the screen."""

    png: bytes = field(repr=False)
    area: Rect
    crop: bytes = field(default=b"", repr=False)
    """The pixels of the requested part, four bytes each: blue, green, red, and an unused one."""


@dataclass(frozen=True, slots=True)
class CoveredArea:
    """A part of a window that is blackened in pictures, such as a password field."""

    window: Window
    frame: Rect | None
    """None if the place is unknown; then the whole window is blackened."""


class Mark(NamedTuple):
    """A number that is drawn beside a place on the screen."""

    number: int
    frame: Rect


class Screen(Protocol):
    async def screenshot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[CoveredArea] = (),
    ) -> Screenshot:
        """Photographs the whole screen, or `area`; `outlined` gets a frame, `marked` places get their numbers.

        Visible parts of `hidden` windows and of `covered` areas are black. The result also has the pixels of
        `cropped`, without the frame, and with the `covered` areas as they are.
        """
        ...

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """Outlines a frame on the screen itself for a while, without taking input; returns once it is shown."""
        ...


class DesktopPort(Reader, Actor, Screen, Protocol):
    async def readiness(self) -> Readiness: ...

    async def close(self) -> None: ...
