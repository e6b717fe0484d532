"""Which window on the screen an accessible window is: by process, title and frame; if unclear, all that it could be."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from handrail.features.desktop.backends.compositor import TopWindow
from handrail.features.desktop.platform import Rect

_MOST_PIXELS_APART = 48
_NAME_ADDED = re.compile(r"\s+[-–—|:·]\s")
"""What stands between a window's own title and the name of its program."""


class Look(NamedTuple):
    """What an accessible window is recognised by."""

    pid: int
    title: str
    frame: Rect | None


class _Claim(NamedTuple):
    title: int
    frame: int


def match(looks: Sequence[Look], shown: Sequence[TopWindow]) -> list[list[TopWindow]]:
    """For each look its window on the screen; several where they can't be told apart, none where there is none."""
    left = {index: _possible(look, shown) for index, look in enumerate(looks)}
    found: dict[int, TopWindow] = {}
    while settled := _settled(looks, left):
        found |= settled
        taken = {window.id for window in settled.values()}
        left = {
            index: [window for window in windows if window.id not in taken]
            for index, windows in left.items()
            if index not in settled
        }
    return [[found[index]] if index in found else left[index] for index in range(len(looks))]


def _settled(looks: Sequence[Look], left: dict[int, list[TopWindow]]) -> dict[int, TopWindow]:
    """Pairs in which each is the other's only best."""
    best = {index: _best(looks[index], windows) for index, windows in left.items() if windows}
    strongest: dict[int, _Claim] = {}
    for claim, windows in best.values():
        for window in windows:
            strongest[window.id] = max(claim, strongest.get(window.id, claim))
    holders = Counter(
        window.id for claim, windows in best.values() for window in windows if claim == strongest[window.id]
    )
    return {
        index: windows[0]
        for index, (claim, windows) in best.items()
        if len(windows) == 1 and claim == strongest[windows[0].id] and holders[windows[0].id] == 1
    }


def _best(look: Look, windows: Sequence[TopWindow]) -> tuple[_Claim, list[TopWindow]]:
    claims = [(_claim(look, window), window) for window in windows]
    most = max(claim for claim, _ in claims)
    return most, [window for claim, window in claims if claim == most]


def _possible(look: Look, shown: Sequence[TopWindow]) -> list[TopWindow]:
    """Programs in a sandbox know themselves under another pid: there title and frame must fit.

    A compositor that tells no pid tells no frame either: there the title decides.
    """
    own = [window for window in shown if window.pid == look.pid or (not window.pid and look.title == window.title)]
    return own or [window for window in shown if look.title == window.title and min(_claim(look, window)) > 0]


def _claim(look: Look, window: TopWindow) -> _Claim:
    return _Claim(_title_claim(look.title, window.title), _frame_claim(look.frame, window))


def _title_claim(one: str, other: str) -> int:
    """Equal titles count most, then those that differ by the program's name, then a missing one."""
    if not one or not other:
        return 1
    shorter, longer = sorted((one, other), key=len)
    if shorter == longer:
        return 3
    return 2 if longer.startswith(shorter) and _NAME_ADDED.match(longer, len(shorter)) else 0


def _frame_claim(frame: Rect | None, window: TopWindow) -> int:
    """Some toolkits count frames from the window itself, so an equal size counts more than an equal place."""
    if frame is None or window.frame is None:
        return 0
    has_same_size = any(
        _is_near((frame.width, frame.height), (shown.width, shown.height))
        for shown in (window.frame, window.visible_frame)
        if shown is not None
    )
    return 2 * has_same_size + _is_near((frame.x, frame.y), (window.frame.x, window.frame.y))


def _is_near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Some toolkits include the decoration, some don't."""
    return all(abs(a - b) <= _MOST_PIXELS_APART for a, b in zip(one, other, strict=True))
