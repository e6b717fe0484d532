"""What the windowing system tells about top-level windows, as far as reading needs it, and which of them is which of
the accessible ones.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from handrail.features.desktop.platform import Rect


class ScreenWindow(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def pid(self) -> int: ...
    @property
    def classes(self) -> Sequence[str]: ...
    @property
    def title(self) -> str: ...
    @property
    def frame(self) -> Rect: ...
    @property
    def visible_frame(self) -> Rect: ...
    @property
    def is_modal(self) -> bool: ...


class ScreenWindows(Protocol):
    def all(self) -> Sequence[ScreenWindow]: ...

    def active(self) -> int | None:
        """The id of the one that has the keys, or None where nobody tells."""
        ...


class Look(NamedTuple):
    """By what an accessible window can be recognised."""

    pid: int
    title: str
    frame: Rect | None


def paired(looks: Sequence[Look], shown: Sequence[ScreenWindow]) -> list[ScreenWindow | None]:
    """Each accessible window's own, the surest pairs first; None where there is none alike."""
    likely = sorted(
        (
            (likeness, -index, window.id, window)
            for index, look in enumerate(looks)
            for window in shown
            if (likeness := _likeness(look, window)) > 0
        ),
        key=lambda pair: pair[:3],
        reverse=True,
    )
    found: list[ScreenWindow | None] = [None] * len(looks)
    taken = set()
    for _, negative, id, window in likely:
        if found[-negative] is None and id not in taken:
            found[-negative] = window
            taken.add(id)
    return found


def _likeness(look: Look, window: ScreenWindow) -> int:
    """Programs in a sandbox know another pid of themselves; some have no title, some a frame that counts from 0."""
    has_same_title = bool(look.title) and look.title == window.title
    has_same_size = look.frame is not None and any(
        _is_near((look.frame.width, look.frame.height), (frame.width, frame.height))
        for frame in (window.frame, window.visible_frame)
    )
    is_there = look.frame is not None and _is_near((look.frame.x, look.frame.y), (window.frame.x, window.frame.y))
    if look.pid == window.pid:
        return 1 + 8 * has_same_title + 4 * has_same_size + 2 * is_there
    return has_same_title * (has_same_size + is_there)


def _is_near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Some toolkits count the decoration, some don't."""
    return all(abs(a - b) <= 48 for a, b in zip(one, other, strict=True))
