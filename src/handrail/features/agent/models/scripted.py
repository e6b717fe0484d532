"""A model that plays a script from a file: for demonstrations and tests, without a key and without a network.

`{"values": {…}, "turns": [{"text": "…", "thinking": "…", "seconds": 1, "uses": [{"name": "…", "arguments": {…}}]}]}`.
A value is a pattern to search for in the result of a tool, in a `note` by handrail or in the `person`'s messages. The
newest match replaces `{{name}}` in a turn; a turn with a missing value is skipped. The next turn is always derived from
the conversation, so an interrupted run continues at the right place.
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
from handrail.ports.unreadable_json import UNREADABLE_JSON

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PIECE_LENGTH = 12
_END = "That was all that my script says."


class ScriptedValue(msgspec.Struct, forbid_unknown_fields=True):
    """`of`: a tool's name, `note` or `person`. `find`: a pattern; its first group is the value, or the whole match.

    `otherwise`: the value if nothing matches.
    """

    of: str
    find: str
    otherwise: str | None = None


class ScriptedUse(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: Mapping[str, Any] = {}


class ScriptedTurn(msgspec.Struct, forbid_unknown_fields=True):
    """`seconds`: the wait before the answer. `needs` and `unless`: values that must or must not exist."""

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
    """Raises ValueError, of which msgspec's DecodeError is a subclass."""
    file = msgspec.json.decode(data, type=_File)
    for number, turn in enumerate(file.turns, 1):
        if unknown := (_placeholders(turn) | {*turn.needs, *turn.unless}) - file.values.keys():
            raise ValueError(f"turn {number} uses unknown values: {', '.join(sorted(unknown))}")
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

    def next_turn(self, conversation: Sequence[Turn]) -> ScriptedTurn | None:
        """The turn that follows this conversation; None at the end. Replays which turn each reply so far was."""
        position, values = 0, dict[str, str]()
        for turn in conversation:
            if isinstance(turn, AssistantTurn):
                position = self._next_index(position, values) + 1
            else:
                self._find_values(turn, values)
        index = self._next_index(position, values)
        return self._fill(self._turns[index], values) if index < len(self._turns) else None

    def _next_index(self, start: int, values: Mapping[str, str]) -> int:
        """The index of the first turn from `start` on whose conditions are met, or the number of turns."""
        for index in range(start, len(self._turns)):
            turn = self._turns[index]
            is_whole = all(name in values or self._values[name].otherwise is not None for name in _placeholders(turn))
            if is_whole and values.keys() >= {*turn.needs} and values.keys().isdisjoint(turn.unless):
                return index
        return len(self._turns)

    def _find_values(self, turn: Turn, values: dict[str, str]) -> None:
        source, text = _source(turn)
        for name, value in self._values.items():
            if value.of == source and (match := self._patterns[name].search(text)) is not None:
                values[name] = match[1] if match.re.groups else match[0]

    def _fill(self, turn: ScriptedTurn, values: Mapping[str, str]) -> ScriptedTurn:
        texts = {name: values.get(name, value.otherwise or "") for name, value in self._values.items()}

        def fill(value: Any) -> Any:
            match value:
                case str():
                    return _PLACEHOLDER.sub(lambda match: texts[match[1]], value)
                case {**members}:
                    return {name: fill(member) for name, member in members.items()}
                case list():
                    return [fill(item) for item in value]
            return value

        uses = [ScriptedUse(use.name, fill(use.arguments)) for use in turn.uses]
        return ScriptedTurn(fill(turn.text), turn.thinking, turn.seconds, uses)


def _placeholders(turn: ScriptedTurn) -> set[str]:
    text = msgspec.json.encode([turn.text, [use.arguments for use in turn.uses]]).decode()
    return set(_PLACEHOLDER.findall(text))


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
        except (ValueError, *UNREADABLE_JSON) as error:
            raise Damaged(f"{path} isn't a model script: {error}.") from None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        number = sum(isinstance(turn, AssistantTurn) for turn in turns)
        turn = self._script.next_turn(turns) or ScriptedTurn(_END)
        if turn.thinking:
            yield Thought(turn.thinking)
        if turn.seconds:
            await asyncio.sleep(turn.seconds)
        for start in range(0, len(turn.text), _PIECE_LENGTH):
            yield Delta(turn.text[start : start + _PIECE_LENGTH])
            await asyncio.sleep(0)
        uses = tuple(
            ToolUse(f"use_{number}_{index}", use.name, msgspec.json.encode(use.arguments).decode())
            for index, use in enumerate(turn.uses)
        )
        yield Reply(AssistantTurn(turn.text, uses, thinking=turn.thinking), Usage())
