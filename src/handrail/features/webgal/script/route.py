"""Finds the statements that bring an engine to any line of a scene.

An engine only runs a scene from its start and stops at choices. So the way is computed here, without its jumps and
choices, and the engine gets the remaining statements as the scene's text. Only the engine knows whether a condition is
true: it is asked by variables that the text sets under the same condition.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from handrail.features.webgal.script.parser import (
    BAR,
    COMMENT,
    Sentence,
    Value,
    read_line,
    read_option,
    read_scene,
    split_lines,
)
from handrail.features.webgal.script.way import EVENTS, LEAVES, Step, Turn, WaySearch, condition_of, labels_of

# They lead elsewhere, or wait for the player.
_LEFT_OUT = LEAVES | {COMMENT, "choose", "jumpLabel", "label", "callScene", "getUserInput", "video", "showVars"}
_LAST_DIALOGUE = 3
"""The last lines of dialogue that are kept, because `-concat` may continue them."""
_TO_SCENES = frozenset({"callScene", "changeScene"})
_PAUSE = "setFilter:;"
"""Does nothing and stops the engine: a transition that still runs would use up its first step in the new scene."""
_OWN_CONDITION = re.compile(r" -\s*when\s*=.*?(?= -|(?<!\\);|$)")
# Engines read anything else as a number, a sum, a flag or another variable.
_PLAIN_WORD = re.compile(r"[^\W\d_]\w*(?: \w+)*")
_NOT_PLAIN = re.compile(r"true|false|Infinity|none")


class Condition(NamedTuple):
    """A condition that the way depends on, and the value that it is taken to have."""

    turn: Turn
    text: str
    is_true: bool


class Route(msgspec.Struct, frozen=True):
    """`origins` has the scene's line for each line of `text`; 0 for added lines."""

    text: str
    origins: tuple[int, ...]
    is_reached: bool
    """Whether the line can be reached."""
    conditions: tuple[Condition, ...] = ()
    """Those that the engine is asked for."""
    calls: tuple[int, ...] = ()
    """The scene's lines on the way that call another scene, which is not run."""

    def line_of(self, line: int) -> int:
        """Returns the scene's line for a line of the text."""
        later = (origin for origin in self.origins[max(line - 1, 0) :] if origin)
        return next(later, max(self.origins, default=1))

    def place_of(self, line: int) -> int:
        """Returns the text's last line that comes from this line of the scene."""
        return len(self.origins) - self.origins[::-1].index(line)

    def first_wrong(self, stage: Mapping[str, Any]) -> Condition | None:
        """Returns the first condition that the engine has found to be different; later ones may depend on it."""
        variables = stage.get("GameVar")
        if not isinstance(variables, dict):
            return None
        numbered = enumerate(self.conditions)
        return next((each for number, each in numbered if (_asking(number) in variables) is not each.is_true), None)


def first_event(text: str) -> int:
    """Returns the line at which a player first sees something, or is led to it; otherwise the last statement."""
    sentences = read_scene(text)
    labels = labels_of(sentences)
    line, last, passed = 1, 1, set[int]()
    while line <= len(sentences) and line not in passed:
        passed.add(line)
        sentence = sentences[line - 1]
        if sentence.command in EVENTS:
            return line
        last = last if sentence.command == COMMENT else line
        is_jump = sentence.command == "jumpLabel" and condition_of(sentence) is None
        line = labels.get(sentence.content, line + 1) if is_jump else line + 1
    return last


def next_event(text: str, line: int) -> int:
    """Returns the first line from this one on that shows something, or leads to it."""
    numbered = enumerate(read_scene(text), start=1)
    return next((number for number, each in numbered if number >= line and each.command in EVENTS), line)


def whole_scene(text: str, line: int, variables: Mapping[str, Value]) -> Route:
    """The scene as it is, to be run until this line, after the variables are set."""
    lines = [*((assignment, 0) for assignment in _assignments(variables))]
    for number, script_line in enumerate(split_lines(text), start=1):
        if number == line and read_line(script_line).command in _TO_SCENES:
            lines.append((_PAUSE, 0))
        lines.append((script_line, number))
    return Route("\n".join(each for each, _ in lines), tuple(number for _, number in lines), True)


def route_to(
    text: str,
    line: int | None,
    variables: Mapping[str, Value] | None = None,
    choices: Sequence[int] = (),
    known: Mapping[Turn, bool] | None = None,
    *,
    asks: bool = False,
) -> Route:
    """Leads to the line; without one, to where the player sees something or leaves the scene after the choices.

    `choices` are the options to take on the way, counted from 1; further ones are taken as needed. `known` are values
    of conditions. With `asks`, the engine reports the values of the route's conditions. Raises InvalidParams.
    """
    sentences, script_lines = read_scene(text), split_lines(text)
    search = WaySearch(sentences, choices, known)
    steps = search.to_next_event() if line is None else search.to_line(line)
    last = steps[-1].state.line if steps else line or len(sentences)
    asks = asks and sentences[last - 1].command != "showVars"  # it would show the added variables, too
    turns = list(search.turns(steps)) if asks else []
    before = [each.state.line for each in steps[:-1]] if steps else range(1, last)
    dialogue = {at for at, each in enumerate(before) if sentences[each - 1].command == "say"}
    dialogue = set(sorted(dialogue)[-_LAST_DIALOGUE:])
    lines = [(assignment, 0) for assignment in _assignments(variables or {})]
    numbers = iter(range(len(turns)))
    for at, each in enumerate(before):
        lines += [(_question(next(numbers), condition), 0) for index, _, condition, _ in turns if index == at]
        command = sentences[each - 1].command
        if command not in _LEFT_OUT and (command != "say" or at in dialogue):
            lines.append((script_lines[each - 1], each))
    lines += [(_question(next(numbers), condition), 0) for index, _, condition, _ in turns if index == len(steps) - 1]
    last_statement = _last_statement(sentences, script_lines, steps, last, asks=asks)
    if read_line(last_statement).command in _TO_SCENES:
        lines.append((_PAUSE, 0))
    lines.append((last_statement, last))
    return Route(
        "\n".join(statement for statement, _ in lines),
        tuple(origin for _, origin in lines),
        bool(steps),
        tuple(Condition(turn, condition, is_true) for _, turn, condition, is_true in turns),
        tuple(dict.fromkeys(each for each in before if sentences[each - 1].command == "callScene")),
    )


def _last_statement(
    sentences: Sequence[Sentence], script_lines: Sequence[str], steps: Sequence[Step], line: int, *, asks: bool
) -> str:
    """With an option that leads to another scene, the scene is left. Asked for, the line is shown in any case."""
    if steps and (option := steps[-1].option):
        target = read_option(BAR.split(sentences[line - 1].content)[option - 1])[1]
        return f"changeScene:{target.strip().removeprefix('./game/scene/')};"
    return _OWN_CONDITION.sub("", script_lines[line - 1]) if asks else script_lines[line - 1]


def _asking(number: int) -> str:
    return f"handrail{number}"


def _question(number: int, condition: str) -> str:
    escaped = condition.replace(";", "\\;")
    return f"setVar:{_asking(number)}=1 -when={escaped};"


def _assignments(variables: Mapping[str, Value]) -> list[str]:
    return [f"setVar:{name}={_format_value(value, variables)};" for name, value in variables.items()]


def _format_value(value: Value, variables: Mapping[str, Value]) -> str:
    """Formats the value so that the engine reads exactly this one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str) or not value:
        return str(value)
    if _PLAIN_WORD.fullmatch(value) and not _NOT_PLAIN.search(value) and value not in variables:
        return value
    units = value.encode("utf-16-be", "surrogatepass")
    codes = "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    return f'("{codes}")'
