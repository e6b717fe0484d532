"""The port for what draws windows and takes input: an X server with its window manager, or a Wayland compositor.

Accessibility reports what is inside windows; a compositor knows where the windows are, and gives access to pointer,
keys, clipboard and pixels.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from handrail.features.desktop.desktop_port import Gesture, Issue, KeyCombination, Rect, WindowChange
from handrail.ports.errors import Conflict

_ACTIVATION_SECONDS = 1.0
_FOCUS_CHANGE_SECONDS = 0.3
_POLL_SECONDS = 0.01

Check = Callable[[], Awaitable[None]]
"""Awaited before each key; raises if the key must not be sent."""


@dataclass(frozen=True, slots=True)
class TopWindow:
    """A top-level window. `frame` is the client area with the shadow that the program draws around its window."""

    id: int
    pid: int
    """0 if the compositor doesn't report it."""
    classes: tuple[str, ...]
    title: str
    frame: Rect | None
    """None if the compositor doesn't report it."""
    shadow: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Left, right, top, bottom."""
    is_modal: bool = False
    is_minimized: bool = False
    is_for_people: bool = True
    """False for panels and the desktop background."""

    @property
    def visible_frame(self) -> Rect | None:
        left, right, top, bottom = self.shadow
        if (frame := self.frame) is None:
            return None
        return Rect(frame.x + left, frame.y + top, frame.width - left - right, frame.height - top - bottom)


class TopWindows(ABC):
    """The top-level windows of a display. PermissionMissing if there is no display."""

    frames_are_relative = False
    """Programs don't know where they are on the screen: their frames are relative to their window."""

    @abstractmethod
    def all(self) -> list[TopWindow]:
        """Lists all windows from the bottom to the top."""

    @abstractmethod
    def shown(self) -> list[TopWindow]:
        """Lists windows that are neither minimized nor on a hidden workspace."""

    @abstractmethod
    def read(self, window_id: int) -> TopWindow | None:
        """Returns None if it is gone."""

    def frame(self, window_id: int) -> Rect | None:
        window = self.read(window_id)
        return None if window is None else window.frame

    @abstractmethod
    def focused_window(self) -> int | None:
        """Returns the window with the keyboard focus; None while the focus moves."""

    def active(self) -> int | None:
        """Returns the window in front, if the compositor reports it."""
        return self.focused_window()

    @abstractmethod
    def request_front(self, window_id: int) -> None: ...

    @abstractmethod
    def is_on_top(self, window_id: int, x: int, y: int) -> bool:
        """Returns whether a click at this point reaches exactly this window."""

    def reaches(self, window_id: int, x: int, y: int) -> bool:
        """Returns whether a click at this point reaches the window, or a menu or list of its program."""
        return self.is_on_top(window_id, x, y)

    def popups(self, window_id: int) -> Sequence[tuple[int, Rect]]:
        """Returns menus and drop-down lists of the same program that are separate windows, with their frames."""
        return ()

    @abstractmethod
    async def arrange(self, window_id: int, change: WindowChange) -> None: ...

    async def activate(self, window_id: int) -> bool:
        """Brings the window to the front and returns whether it has the keyboard focus afterwards."""
        if self.active() == window_id:
            return True
        self.request_front(window_id)
        deadline = time.monotonic() + _ACTIVATION_SECONDS
        while self.focused_window() != window_id:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    async def require_focus(self, window_id: int) -> None:
        """Conflict if another window has the keyboard focus. A window that has just opened gets it with a delay."""
        deadline = time.monotonic() + _FOCUS_CHANGE_SECONDS
        while (holder := self.focused_window()) != window_id:
            if holder is not None or time.monotonic() > deadline:
                raise Conflict(
                    "Another window has the keyboard focus, so nothing more was sent.",
                    hint="desktop.observe shows what is in front.",
                )
            await asyncio.sleep(_POLL_SECONDS / 2)


class Pointer(Protocol):
    async def perform(self, gesture: Gesture, x: int, y: int, *, reaches: Callable[[], bool]) -> None:
        """Performs a gesture. Conflict if `reaches`, called right before the button is pressed, returns False."""
        ...

    async def wait_out_double_click(self, x: int, y: int) -> None:
        """Waits until a click there would no longer count as the second one of a double click."""
        ...


class Keyboard(Protocol):
    """A keyboard. Releases every key that it presses, also if a call is cancelled."""

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        """Sends key combinations. Resolves all key names before the first key."""
        ...

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        """Types a text and returns the result of `arrived`, which is awaited at the end."""
        ...


class ClipboardOffer(Protocol):
    @property
    def requested(self) -> asyncio.Event:
        """Set when a program starts to read the content."""
        ...

    @property
    def transferred(self) -> asyncio.Event:
        """Set when the program has read all of it."""
        ...


class Clipboard(Protocol):
    def lending(self, text: str, pasting_window: int) -> AbstractAsyncContextManager[ClipboardOffer]:
        """Puts a text on the clipboard inside the context, and restores the content afterwards."""
        ...

    async def text(self) -> str | None:
        """Returns None if it is empty or contains no text."""
        ...

    async def put(self, text: str) -> None: ...


class Compositor(Protocol):
    @property
    def session(self) -> str:
        """x11, wayland, or empty if there is no display."""
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
        """Returns the bounding box of all monitors."""
        ...

    def monitors(self) -> Sequence[Rect]:
        """Returns the area of each monitor. Between and beside monitors of different sizes are places on none."""
        ...

    def grab(self, area: Rect) -> bytearray:
        """Returns four bytes per pixel: blue, green, red, and an unused one."""
        ...

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """Outlines a frame on the screen for a while, or until `close` or the end of this process."""
        ...

    def display_issues(self) -> list[Issue]:
        """Says why there is no display; empty if there is one."""
        ...

    def input_issues(self) -> Iterator[Issue]: ...

    @property
    def can_act(self) -> bool: ...

    async def close(self) -> None: ...
