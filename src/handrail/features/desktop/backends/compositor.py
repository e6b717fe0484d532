"""What draws windows and takes input: an X server with its window manager, or a Wayland compositor.

Programs tell what is in their windows; this knows where the windows are, and reaches them with pointer, keys,
clipboard and pictures.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from handrail.features.desktop.platform import Arrangement, Combination, Gesture, Issue, Rect
from handrail.ports.errors import Conflict

_ACTIVATION_SECONDS = 1.0
_FOCUS_CHANGE_SECONDS = 0.3
_LOOK_EVERY = 0.01

Check = Callable[[], Awaitable[None]]
"""Awaited before each key; raises when the key must not be sent."""


@dataclass(frozen=True, slots=True)
class TopWindow:
    """`frame` is the whole client area; `shadow` is the part around the window (left, right, top, bottom)."""

    id: int
    pid: int
    """0 where the compositor doesn't tell."""
    classes: tuple[str, ...]
    title: str
    frame: Rect | None
    """None where the compositor doesn't tell."""
    shadow: tuple[int, int, int, int] = (0, 0, 0, 0)
    is_modal: bool = False
    is_for_people: bool = True
    """False for panels and for what lies behind all windows."""

    @property
    def visible_frame(self) -> Rect | None:
        left, right, top, bottom = self.shadow
        if (frame := self.frame) is None:
            return None
        return Rect(frame.x + left, frame.y + top, frame.width - left - right, frame.height - top - bottom)


class TopWindows(ABC):
    """Raises PermissionMissing where there is no display."""

    counts_from_window = False
    """Programs know no place on the screen: they count from their own window."""

    @abstractmethod
    def all(self) -> list[TopWindow]:
        """From the bottom to the top."""

    @abstractmethod
    def shown(self) -> list[TopWindow]:
        """Those that are neither minimized nor on a hidden workspace."""

    @abstractmethod
    def read(self, window_id: int) -> TopWindow | None:
        """None when it is gone."""

    def frame(self, window_id: int) -> Rect | None:
        window = self.read(window_id)
        return None if window is None else window.frame

    @abstractmethod
    def key_holder(self) -> int | None:
        """The window that has the keys; None while the focus moves from one to another."""

    def active(self) -> int | None:
        """The window in front, where the compositor says which it is."""
        return self.key_holder()

    @abstractmethod
    def ask_to_front(self, window_id: int) -> None: ...

    @abstractmethod
    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        """Whether a click at this point reaches exactly this window."""

    def reaches(self, window_id: int, x: int, y: int) -> bool:
        """Whether a click at this point reaches the window, or a menu or list of its program."""
        return self.is_on_top(window_id, x, y)

    def popups(self, window_id: int) -> Sequence[tuple[int, Rect]]:
        """Menus and drop-down lists of the same program that are windows of their own, and where."""
        return ()

    @abstractmethod
    async def arrange(self, window_id: int, change: Arrangement) -> None: ...

    async def activate(self, window_id: int) -> bool:
        """Whether it has the keys afterwards."""
        if self.active() == window_id:
            return True
        self.ask_to_front(window_id)
        deadline = time.monotonic() + _ACTIVATION_SECONDS
        while self.key_holder() != window_id:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_LOOK_EVERY)
        return True

    async def require_keys(self, window_id: int) -> None:
        """Conflict if another window has the keys. A window that has just come up may be without them for a moment."""
        deadline = time.monotonic() + _FOCUS_CHANGE_SECONDS
        while (holder := self.key_holder()) != window_id:
            if holder is not None or time.monotonic() > deadline:
                raise Conflict(
                    "Another window has the keys: nothing more was sent.",
                    hint="desktop.observe shows what is in front.",
                )
            await asyncio.sleep(_LOOK_EVERY / 2)


class Pointer(Protocol):
    async def do(self, gesture: Gesture, x: int, y: int, *, reaches: Callable[[], bool]) -> None:
        """Conflict where it would not reach what is meant: `reaches` is asked right before the button."""
        ...

    async def until_single(self, x: int, y: int) -> None:
        """Waits as long as a click there would be taken for the second of a double click."""
        ...


class Keyboard(Protocol):
    """Releases everything it presses, also when a call is cancelled."""

    async def send(self, combinations: Sequence[Combination], *, before_each: Check, delay_ms: int = 0) -> None:
        """Resolves all names before the first key is sent."""
        ...

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        """Types a text and returns what `arrived` says at the end."""
        ...


class Offered(Protocol):
    @property
    def asked(self) -> asyncio.Event:
        """Set when a program begins to take the content."""
        ...

    @property
    def taken(self) -> asyncio.Event:
        """Set when it has all of it."""
        ...


class Clipboard(Protocol):
    def lending(self, text: str, pasting_window: int) -> AbstractAsyncContextManager[Offered]:
        """The clipboard has this text meanwhile, and afterwards what it had before."""
        ...

    async def text(self) -> str | None:
        """None where it is empty or holds no text."""
        ...

    async def put(self, text: str) -> None: ...


class Compositor(Protocol):
    @property
    def session(self) -> str:
        """x11, wayland, or empty where there is no display."""
        ...

    @property
    def windows(self) -> TopWindows: ...

    @property
    def pointer(self) -> Pointer: ...

    @property
    def keyboard(self) -> Keyboard: ...

    @property
    def clipboard(self) -> Clipboard: ...

    def area(self) -> Rect:
        """All screens together."""
        ...

    def grab(self, area: Rect) -> bytearray:
        """Four bytes a pixel: blue, green, red, and one without meaning."""
        ...

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """Outlines it on the screen itself; goes away by itself, with `close`, or with this process."""
        ...

    def display_issues(self) -> list[Issue]:
        """Why there is no display at all; empty where there is one."""
        ...

    def input_issues(self) -> Iterator[Issue]: ...

    @property
    def can_act(self) -> bool: ...

    async def close(self) -> None: ...
