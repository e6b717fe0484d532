"""Finds the statements that bring an engine to any line of a scene.

An engine only runs a scene from its start and stops at choices. So the way is computed here, without its jumps and
choices, and the engine gets the remaining statements as the scene's text.
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
_State = tuple[int, int]
"""A line, and how many of the requested choices were made before it."""
_LAST_DIALOGUE = 3
"""The last lines of dialogue that are kept, because `-concat` may continue them."""


class Route(msgspec.Struct, frozen=True):
    """`origins` has the scene's line for each line of `text`; 0 for added lines."""

    text: str
    origins: tuple[int, ...]
    is_reached: bool
    """Whether the line can be reached."""

    def line_of(self, line: int) -> int:
        """Returns the scene's line for a line of the text."""
        later = (origin for origin in self.origins[max(line - 1, 0) :] if origin)
        return next(later, max(self.origins, default=1))


def first_shown_line(text: str) -> int:
    """Returns the line at which a player first sees something; the last statement on the way if there is none."""
    sentences = read_scene(text)
    labels = _labels(sentences)
    line, last, passed = 1, 1, set[int]()
    while line <= len(sentences) and line not in passed:
        passed.add(line)
        sentence = sentences[line - 1]
        if sentence.command in _SHOWN:
            return line
        last = last if sentence.command == COMMENT else line
        line = next(iter(_next_lines(sentence, line, labels, None)), len(sentences) + 1)
    return last


def next_shown_line(text: str, line: int) -> int:
    """Returns the first line from this one on that shows something."""
    numbered = enumerate(read_scene(text), start=1)
    return next((number for number, each in numbered if number >= line and each.command in _SHOWN), line)


def route_to(text: str, line: int, variables: Mapping[str, Value] | None = None, choices: Sequence[int] = ()) -> Route:
    """`choices` are the options to take on the way, counted from 1; further ones are taken as needed."""
    sentences = read_scene(text)
    script_lines = split_lines(text)
    way = _shortest_way(sentences, lambda at: at == line, choices)
    before = way[:-1] if way else range(1, line)
    dialogue = [each for each in before if sentences[each - 1].command == "say"][-_LAST_DIALOGUE:]
    statements = [
        each
        for each in before
        if sentences[each - 1].command not in _LEFT_OUT and (sentences[each - 1].command != "say" or each in dialogue)
    ]
    assignments = [f"setVar:{name}={_format_value(value)};" for name, value in (variables or {}).items()]
    lines = [*statements, line]
    return Route(
        "\n".join([*assignments, *(script_lines[each - 1] for each in lines)]),
        (*(0 for _ in assignments), *lines),
        bool(way),
    )


def _format_value(value: Value) -> str:
    """Formats the value as a script writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace(";", "\\;").replace("\n", " ")


def line_after(text: str, choices: Sequence[int]) -> int | None:
    """Returns the first line that shows something after these choices; None if they lead out of the scene."""
    sentences = read_scene(text)
    way = _shortest_way(sentences, lambda at: sentences[at - 1].command in _SHOWN, choices)
    return way[-1] if way else None


def _shortest_way(sentences: Sequence[Sentence], is_goal: Callable[[int], bool], choices: Sequence[int]) -> list[int]:
    """Returns the lines from the first to a goal with the fewest jumps; empty if there is no way."""
    labels = _labels(sentences)
    came_from: dict[_State, _State | None] = {}
    pending: deque[tuple[_State, _State | None]] = deque([((1, 0), None)])
    while pending:
        state, before = pending.popleft()
        if state in came_from or state[0] > len(sentences):
            continue
        came_from[state] = before
        at, choices_made = state
        if choices_made >= len(choices) and is_goal(at):
            return list(_back(state, came_from))
        sentence = sentences[at - 1]
        is_choice = sentence.command == "choose"
        picked = choices[choices_made] if is_choice and choices_made < len(choices) else None
        for next_line in _next_lines(sentence, at, labels, picked):
            following = (next_line, min(choices_made + is_choice, len(choices)))
            # Continuing with the next line is free, so jumps are taken only if necessary.
            (pending.appendleft if next_line == at + 1 else pending.append)((following, state))
    return []


def _back(place: _State | None, came_from: Mapping[_State, _State | None]) -> Iterator[int]:
    lines = []
    while place is not None:
        lines.append(place[0])
        place = came_from[place]
    return reversed(lines)


def _next_lines(sentence: Sentence, line: int, labels: Mapping[str, int], picked: int | None) -> list[int]:
    """Returns the lines that may follow, most likely first."""
    is_unconditional = sentence.argument("when") is None
    if sentence.command in _LEAVES:
        return [] if is_unconditional else [line + 1]
    if sentence.command == "jumpLabel" and sentence.content in labels:
        return [labels[sentence.content]] if is_unconditional else [line + 1, labels[sentence.content]]
    if sentence.command == "choose":
        options = BAR.split(sentence.content)
        chosen = options if picked is None else options[picked - 1 : picked]
        targets = (read_option(option)[1].strip() for option in chosen)
        return [labels.get(each, line + 1) for each in targets if not is_scene(each)]
    return [line + 1]


def _labels(sentences: Sequence[Sentence]) -> dict[str, int]:
    labels: dict[str, int] = {}
    for number, sentence in enumerate(sentences, start=1):
        if sentence.command == "label":
            labels.setdefault(sentence.content, number)
    return labels
