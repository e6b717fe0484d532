"""Finds the lines that a player passes on the way to a line of a scene, over its jumps and choices."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from handrail.features.webgal.script.parser import BAR, Sentence, conditions_of, is_scene, read_option
from handrail.ports.errors import InvalidParams

LEAVES = frozenset({"changeScene", "end"})
EVENTS = LEAVES | {"say", "intro", "choose", "getUserInput", "showVars", "video", "callScene"}
"""They show something, or lead to where something is shown."""
_OUTSIDE = 0
"""The line of a state behind an option that leads to another scene."""


_HINT = "Choices count options from 1, hidden ones included."


class NoSuchOption(InvalidParams):
    def __init__(self, line: int, count: int, option: int) -> None:
        super().__init__(f"The choice in line {line} has {count} options, no option {option}.", hint=_HINT)
        self.line, self.count, self.option = line, count, option


class State(NamedTuple):
    """A line, how many of the requested choices were made before it, and how often the way went back by then."""

    line: int
    choices_made: int
    rounds: int = 0


class Turn(NamedTuple):
    """Where a condition decides how the way goes on: the statement's own, or that of an option (from 1)."""

    state: State
    option: int = 0


class Step(NamedTuple):
    """`is_run` is False where the statement's condition is taken to be false; `option` is the one that is chosen."""

    state: State
    is_run: bool = True
    option: int = 0


class WaySearch:
    """`choices` are the options to take on the way, `known` the conditions whose values are known."""

    def __init__(
        self, sentences: Sequence[Sentence], choices: Sequence[int] = (), known: Mapping[Turn, bool] | None = None
    ) -> None:
        self._sentences = sentences
        self._choices = choices
        self._known = known or {}
        self._labels = labels_of(sentences)
        self._most_choices = 0
        self._missing_option: NoSuchOption | None = None

    def to_line(self, line: int) -> list[Step]:
        """Returns the steps of the way with the fewest jumps; empty if there is none. Raises InvalidParams."""
        return self._find(lambda at: at.line == line)

    def to_next_event(self) -> list[Step]:
        """Returns the steps to where the player sees something or leaves the scene after the choices."""
        return self._find(self._is_event)

    def turns(self, steps: Sequence[Step]) -> Iterator[tuple[int, Turn, str, bool]]:
        """Yields the conditions that the way depends on: the index of the step, the condition, its expected value."""
        for index, step in enumerate(steps):
            sentence = self._sentences[step.state.line - 1]
            condition, is_last = condition_of(sentence), index == len(steps) - 1
            if condition is not None and (is_last or sentence.command in {*LEAVES, "jumpLabel", "choose"}):
                yield index, Turn(step.state), condition, is_last or step.is_run
            if step.option:
                conditions = conditions_of(BAR.split(sentence.content)[step.option - 1])
                if conditions:
                    text = "&&".join(f"({each})" for each in conditions) if len(conditions) > 1 else conditions[0]
                    yield index, Turn(step.state, step.option), text, True

    def _find(self, is_goal: Callable[[State], bool]) -> list[Step]:
        came_from: dict[State, Step | None] = {}
        pending: deque[tuple[State, Step | None]] = deque([(State(1, 0), None)])
        while pending:
            state, before = pending.popleft()
            if state in came_from or state.line > len(self._sentences):
                continue
            came_from[state] = before
            self._most_choices = max(self._most_choices, state.choices_made)
            if state.choices_made >= len(self._choices) and (is_goal(state) or state.line == _OUTSIDE):
                return _steps_to(state, came_from)
            if state.line == _OUTSIDE:
                continue
            for following, step in self._next(state):
                if _OUTSIDE < following.line <= state.line:  # a round more only matters if a condition may differ in it
                    following = following._replace(rounds=min(state.rounds + 1, len(self._known)))
                # Continuing with the next line is free, so jumps are taken only if necessary.
                (pending.appendleft if following.line == state.line + 1 else pending.append)((following, step))
        made, wanted = self._most_choices, len(self._choices)
        if made < wanted:
            raise self._missing_option or InvalidParams(
                f"Only {made} of the {wanted} `choices` can be made in this scene.", hint=_HINT
            )
        return []

    def _is_event(self, state: State) -> bool:
        if state.line == _OUTSIDE:
            return True
        return self._sentences[state.line - 1].command in EVENTS and self._is_run(state) is not False

    def _is_run(self, state: State) -> bool | None:
        """Returns None if the statement's condition isn't known."""
        is_unconditional = condition_of(self._sentences[state.line - 1]) is None
        return True if is_unconditional else self._known.get(Turn(state))

    def _next(self, state: State) -> Iterator[tuple[State, Step]]:
        """Yields the states that may follow, most likely first."""
        sentence, is_run = self._sentences[state.line - 1], self._is_run(state)
        after = state._replace(line=state.line + 1)
        if sentence.command == "choose" and is_run is not False:
            yield from self._options(state)
        is_jump = sentence.command == "jumpLabel" and sentence.content in self._labels
        if not (is_jump or sentence.command in {*LEAVES, "choose"}):
            yield after, Step(state)
        elif is_run is not True:
            yield after, Step(state, is_run=False)
        if is_jump and is_run is not False:
            yield state._replace(line=self._labels[sentence.content]), Step(state)

    def _options(self, state: State) -> Iterator[tuple[State, Step]]:
        options, made = BAR.split(self._sentences[state.line - 1].content), state.choices_made
        picked = self._choices[made] if made < len(self._choices) else None
        if picked is not None and picked > len(options):
            self._missing_option = NoSuchOption(state.line, len(options), picked)
        for number, option in enumerate(options, start=1):
            target = read_option(option)[1].strip()
            is_wanted = number == picked if picked is not None else not is_scene(target)
            if is_wanted and self._known.get(Turn(state, number)) is not False:
                line = _OUTSIDE if is_scene(target) else self._labels.get(target, state.line + 1)
                after = State(line, min(made + 1, len(self._choices)), state.rounds)
                yield after, Step(state, option=number)


def condition_of(sentence: Sentence) -> str | None:
    """Returns the statement's own condition."""
    condition = sentence.argument("when")
    return condition if isinstance(condition, str) else None


def labels_of(sentences: Sequence[Sentence]) -> dict[str, int]:
    labels: dict[str, int] = {}
    for number, sentence in enumerate(sentences, start=1):
        if sentence.command == "label":
            labels.setdefault(sentence.content, number)
    return labels


def _steps_to(state: State, came_from: Mapping[State, Step | None]) -> list[Step]:
    steps = [Step(state)] if state.line != _OUTSIDE else []
    step = came_from[state]
    while step is not None:
        steps.append(step)
        step = came_from[step.state]
    return steps[::-1]
