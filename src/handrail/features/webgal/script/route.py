"""The text that brings an engine to any line of a scene: the statements on the way there, in the order they run.

An engine only runs a scene from its start and stops at choices. So the way is found here, its jumps and choices are
left out, and the engine gets what remains as the scene's text.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from handrail.features.webgal.script.parser import (
    BAR,
    COMMENT,
    Sentence,
    Value,
    is_scene,
    read_option,
    read_scene,
    split_lines,
)

_LEAVES = frozenset({"changeScene", "end"})
# They lead elsewhere, or wait for the player.
_LEFT_OUT = _LEAVES | {COMMENT, "choose", "jumpLabel", "label", "callScene", "getUserInput", "video", "showVars"}
_SHOWN = frozenset({"say", "intro", "choose", "getUserInput", "showVars", "video"})
_Place = tuple[int, int]
"""A line, and how many of the given choices were made before it."""
_LAST_SAID = 3
"""Dialogue before these leaves nothing on the stage; these may be continued by `-concat`."""


class Route(msgspec.Struct, frozen=True):
    """`origins` has the scene's line for each line of `text`; 0 for what was put in."""

    text: str
    origins: tuple[int, ...]
    is_reached: bool
    """Whether a way through the scene leads to the line."""

    def line_of(self, line: int) -> int:
        """The scene's line for a line of the text."""
        later = (origin for origin in self.origins[max(line - 1, 0) :] if origin)
        return next(later, max(self.origins, default=1))


def first_shown_line(text: str) -> int:
    """The line at which a player first sees something; the last statement on the way if nothing is shown."""
    sentences = read_scene(text)
    labels = _labels(sentences)
    line, last, passed = 1, 1, set[int]()
    while line <= len(sentences) and line not in passed:
        passed.add(line)
        sentence = sentences[line - 1]
        if sentence.command in _SHOWN:
            return line
        last = last if sentence.command == COMMENT else line
        line = next(iter(_onward(sentence, line, labels, None)), len(sentences) + 1)
    return last


def next_shown_line(text: str, line: int) -> int:
    """The first line from this one on that shows something."""
    numbered = enumerate(read_scene(text), start=1)
    return next((number for number, each in numbered if number >= line and each.command in _SHOWN), line)


def route_to(text: str, line: int, variables: Mapping[str, Value] | None = None, choices: Sequence[int] = ()) -> Route:
    """`choices` are the options to take at the choices on the way, counted from 1; others are taken as needed."""
    sentences = read_scene(text)
    written = split_lines(text)
    way = _way(sentences, lambda at: at == line, choices)
    before = way[:-1] if way else range(1, line)
    said = [each for each in before if sentences[each - 1].command == "say"][-_LAST_SAID:]
    kept = [
        each
        for each in before
        if sentences[each - 1].command not in _LEFT_OUT and (sentences[each - 1].command != "say" or each in said)
    ]
    given = [f"setVar:{name}={_spelled(value)};" for name, value in (variables or {}).items()]
    lines = [*kept, line]
    return Route(
        "\n".join([*given, *(written[each - 1] for each in lines)]),
        (*(0 for _ in given), *lines),
        bool(way),
    )


def _spelled(value: Value) -> str:
    """As a script writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace(";", "\\;").replace("\n", " ")


def line_after(text: str, choices: Sequence[int]) -> int | None:
    """The first line that shows something once these options are taken; None if they lead out of the scene."""
    sentences = read_scene(text)
    way = _way(sentences, lambda at: sentences[at - 1].command in _SHOWN, choices)
    return way[-1] if way else None


def _way(sentences: Sequence[Sentence], is_goal: Callable[[int], bool], choices: Sequence[int]) -> list[int]:
    """The lines from the first to a goal with the fewest jumps; empty if there is no way."""
    labels = _labels(sentences)
    came_from: dict[_Place, _Place | None] = {}
    waiting: deque[tuple[_Place, _Place | None]] = deque([((1, 0), None)])
    while waiting:
        place, before = waiting.popleft()
        if place in came_from or place[0] > len(sentences):
            continue
        came_from[place] = before
        at, taken = place
        if taken >= len(choices) and is_goal(at):
            return list(_back(place, came_from))
        sentence = sentences[at - 1]
        is_choice = sentence.command == "choose"
        picked = choices[taken] if is_choice and taken < len(choices) else None
        for onward in _onward(sentence, at, labels, picked):
            following = (onward, min(taken + is_choice, len(choices)))
            # Going straight on costs nothing, so jumps are taken only where they are needed.
            (waiting.appendleft if onward == at + 1 else waiting.append)((following, place))
    return []


def _back(place: _Place | None, came_from: Mapping[_Place, _Place | None]) -> Iterator[int]:
    lines = []
    while place is not None:
        lines.append(place[0])
        place = came_from[place]
    return reversed(lines)


def _onward(sentence: Sentence, line: int, labels: Mapping[str, int], picked: int | None) -> list[int]:
    """The lines that may follow, the most likely first."""
    is_sure = sentence.argument("when") is None
    if sentence.command in _LEAVES:
        return [] if is_sure else [line + 1]
    if sentence.command == "jumpLabel" and sentence.content in labels:
        return [labels[sentence.content]] if is_sure else [line + 1, labels[sentence.content]]
    if sentence.command == "choose":
        options = BAR.split(sentence.content)
        chosen = options if picked is None else options[picked - 1 : picked]
        targets = (read_option(option)[1].strip() for option in chosen)
        return [labels.get(each, line + 1) for each in targets if not is_scene(each)]
    return [line + 1]


def _labels(sentences: Sequence[Sentence]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, sentence in enumerate(sentences, start=1):
        if sentence.command == "label":
            found.setdefault(sentence.content, number)
    return found
