"""A model that says what a file says: for demonstrations and tests, without a key and without a network.

`{"values": {…}, "turns": [{"text": "…", "thinking": "…", "seconds": 1, "uses": [{"name": "…", "arguments": {…}}]}]}`.
A value is a pattern that is searched in what came back: of a tool that succeeded, in a `note` of handrail's, in the
`person`'s words; the newest match counts, and `{{name}}` in a turn stands for it. A turn that lacks a value is skipped.
The next turn is found from the conversation each time, so a run that was cut off goes on at the right place.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from handrail.ports.errors import Damaged, NotFound
from handrail.ports.model import (
    AssistantTurn,
    Delta,
    Note,
    Piece,
    Reply,
    Thought,
    ToolOffer,
    ToolResult,
    ToolUse,
    Turn,
    Usage,
    UserTurn,
)

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_PIECE = 12
_END = "That was all that my script says."


class ScriptedValue(msgspec.Struct, forbid_unknown_fields=True):
    """`of` names a tool, `note` or `person`.

    The first group of `find` is used, or the whole match; `otherwise` if nothing matches.
    """

    of: str
    find: str
    otherwise: str | None = None


class ScriptedUse(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: Mapping[str, Any] = {}


class ScriptedTurn(msgspec.Struct, forbid_unknown_fields=True):
    """`seconds` is how long the model waits before it answers.

    `needs` and `unless` name values that must or must not be found.
    """

    text: str = ""
    thinking: str = ""
    seconds: float = 0
    uses: Sequence[ScriptedUse] = ()
    needs: Sequence[str] = ()
    unless: Sequence[str] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    turns: list[ScriptedTurn]
    values: dict[str, ScriptedValue] = {}


def read_script(data: bytes) -> "Script":
    """ValueError (or msgspec's DecodeError, a subclass) says why the script can't be used."""
    file = msgspec.json.decode(data, type=_File)
    for number, turn in enumerate(file.turns, 1):
        if unknown := (_named(turn) | {*turn.needs, *turn.unless}) - file.values.keys():
            raise ValueError(f"turn {number} names {', '.join(sorted(unknown))}, which no value stands for")
    try:
        patterns = {name: re.compile(value.find) for name, value in file.values.items()}
    except re.error as wrong:
        raise ValueError(f"{wrong.pattern!r} isn't a pattern: {wrong}") from None
    return Script(file.turns, file.values, patterns)


class Script:
    def __init__(
        self,
        turns: Sequence[ScriptedTurn],
        values: Mapping[str, ScriptedValue],
        patterns: Mapping[str, "re.Pattern[str]"],
    ) -> None:
        self._turns = turns
        self._values = values
        self._patterns = patterns

    def next_turn(self, said: Sequence[Turn]) -> ScriptedTurn | None:
        """The turn that follows this conversation; None at the end.

        Replays which turn each reply so far must have been.
        """
        place, found = 0, dict[str, str]()
        for turn in said:
            if isinstance(turn, AssistantTurn):
                place = self._fitting(place, found) + 1
            else:
                self._look(turn, found)
        at = self._fitting(place, found)
        return self._filled(self._turns[at], found) if at < len(self._turns) else None

    def _fitting(self, start: int, found: Mapping[str, str]) -> int:
        """The index of the first turn from there on that fits, or the end."""
        for at in range(start, len(self._turns)):
            turn = self._turns[at]
            is_whole = all(name in found or self._values[name].otherwise is not None for name in _named(turn))
            if is_whole and found.keys() >= {*turn.needs} and found.keys().isdisjoint(turn.unless):
                return at
        return len(self._turns)

    def _look(self, turn: Turn, found: dict[str, str]) -> None:
        source, text = _source(turn)
        for name, value in self._values.items():
            if value.of == source and (match := self._patterns[name].search(text)) is not None:
                found[name] = match[1] if match.re.groups else match[0]

    def _filled(self, turn: ScriptedTurn, found: Mapping[str, str]) -> ScriptedTurn:
        known = {name: found.get(name, value.otherwise or "") for name, value in self._values.items()}

        def fill(value: Any) -> Any:
            match value:
                case str():
                    return _PLACE.sub(lambda place: known[place[1]], value)
                case {**members}:
                    return {name: fill(member) for name, member in members.items()}
                case list():
                    return [fill(item) for item in value]
            return value

        uses = [ScriptedUse(use.name, fill(use.arguments)) for use in turn.uses]
        return ScriptedTurn(fill(turn.text), turn.thinking, turn.seconds, uses)


def _named(turn: ScriptedTurn) -> set[str]:
    """Replaces placeholders in the JSON text, so that they work inside any argument."""
    wire = msgspec.json.encode([turn.text, [use.arguments for use in turn.uses]]).decode()
    return set(_PLACE.findall(wire))


def _source(turn: Turn) -> tuple[str, str]:
    match turn:
        case ToolResult(tool=tool, text=text, is_error=False):
            return tool, text
        case Note(text=text):
            return "note", text
        case UserTurn(text=text):
            return "person", text
    return "", ""


class ScriptedModel:
    def __init__(self, path: Path) -> None:
        self.name = f"script:{path}"
        try:
            self._script = read_script(path.read_bytes())
        except FileNotFoundError:
            raise NotFound(f"There is no script {path}.") from None
        except (msgspec.DecodeError, ValueError) as error:
            raise Damaged(f"{path} isn't a script of a model: {error}.") from None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        number = sum(isinstance(turn, AssistantTurn) for turn in turns)
        said = self._script.next_turn(turns) or ScriptedTurn(_END)
        if said.thinking:
            yield Thought(said.thinking)
        if said.seconds:
            await asyncio.sleep(said.seconds)
        for start in range(0, len(said.text), _PIECE):
            yield Delta(said.text[start : start + _PIECE])
            await asyncio.sleep(0)
        uses = tuple(
            ToolUse(f"use_{number}_{index}", use.name, msgspec.json.encode(use.arguments).decode())
            for index, use in enumerate(said.uses)
        )
        yield Reply(AssistantTurn(said.text, uses, thinking=said.thinking), Usage())
