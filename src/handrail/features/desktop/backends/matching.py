"""Matches accessible windows with those on the screen, by process, title and frame."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from handrail.features.desktop.backends.compositor import TopWindow
from handrail.features.desktop.desktop_port import Rect

_MAX_PIXELS_APART = 48
_TITLE_SEPARATOR = re.compile(r"\s+[-–—|:·]\s")
"""Separates a window's own title from the name of its program."""


class WindowTraits(NamedTuple):
    """What identifies an accessible window."""

    pid: int
    title: str
    frame: Rect | None


class _Score(NamedTuple):
    title: int
    frame: int


def match_windows(traits: Sequence[WindowTraits], top_windows: Sequence[TopWindow]) -> list[list[TopWindow]]:
    """Returns the window on the screen for each accessible one; several if it is unclear which, or none."""
    candidates = {index: _candidates(window_traits, top_windows) for index, window_traits in enumerate(traits)}
    matches: dict[int, TopWindow] = {}
    while pairs := _clear_pairs(traits, candidates):
        matches |= pairs
        matched_ids = {window.id for window in pairs.values()}
        candidates = {
            index: [window for window in windows if window.id not in matched_ids]
            for index, windows in candidates.items()
            if index not in pairs
        }
    return [[matches[index]] if index in matches else candidates[index] for index in range(len(traits))]


def _clear_pairs(traits: Sequence[WindowTraits], candidates: dict[int, list[TopWindow]]) -> dict[int, TopWindow]:
    """Returns pairs in which each is the only best match of the other."""
    best = {index: _best_windows(traits[index], windows) for index, windows in candidates.items() if windows}
    best_scores: dict[int, _Score] = {}
    for score, windows in best.values():
        for window in windows:
            best_scores[window.id] = max(score, best_scores.get(window.id, score))
    claimants = Counter(
        window.id for score, windows in best.values() for window in windows if score == best_scores[window.id]
    )
    return {
        index: windows[0]
        for index, (score, windows) in best.items()
        if len(windows) == 1 and score == best_scores[windows[0].id] and claimants[windows[0].id] == 1
    }


def _best_windows(traits: WindowTraits, windows: Sequence[TopWindow]) -> tuple[_Score, list[TopWindow]]:
    scores = [(_score(traits, window), window) for window in windows]
    best = max(score for score, _ in scores)
    return best, [window for score, window in scores if score == best]


def _candidates(traits: WindowTraits, top_windows: Sequence[TopWindow]) -> list[TopWindow]:
    """Programs in a sandbox report a different pid; then title and frame must match.

    A compositor that reports no pid reports no frame either; then the title decides.
    """
    same_process = [
        window
        for window in top_windows
        if window.pid == traits.pid or (not window.pid and traits.title == window.title)
    ]
    return same_process or [
        window for window in top_windows if traits.title == window.title and min(_score(traits, window)) > 0
    ]


def _score(traits: WindowTraits, window: TopWindow) -> _Score:
    return _Score(_title_score(traits.title, window.title), _frame_score(traits.frame, window))


def _title_score(one: str, other: str) -> int:
    """Equal titles score highest, then those that differ by the program's name, then a missing one."""
    if not one or not other:
        return 1
    shorter, longer = sorted((one, other), key=len)
    if shorter == longer:
        return 3
    return 2 if longer.startswith(shorter) and _TITLE_SEPARATOR.match(longer, len(shorter)) else 0


def _frame_score(frame: Rect | None, window: TopWindow) -> int:
    """An equal size scores more than an equal place, because some toolkits report frames relative to the window."""
    if frame is None or window.frame is None:
        return 0
    has_same_size = any(
        _is_near((frame.width, frame.height), (top_windows.width, top_windows.height))
        for top_windows in (window.frame, window.visible_frame)
        if top_windows is not None
    )
    return 2 * has_same_size + _is_near((frame.x, frame.y), (window.frame.x, window.frame.y))


def _is_near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Some toolkits include the decoration, some don't."""
    return all(abs(a - b) <= _MAX_PIXELS_APART for a, b in zip(one, other, strict=True))
