"""A model that says what a file says: for demonstrations and tests, without a key and without a network.

`{"turns": [{"text": "…", "seconds": 1, "uses": [{"name": "…", "arguments": {…}}]}, …]}`. Every reply is the next turn,
counted by the replies that stand in the conversation already, so a run that was cut off goes on at the right place.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from handrail.contract.errors import Damaged, NotFound
from handrail.contract.model import Delta, Replied, Reply, ToolOffer, ToolUse, Turn, Usage

_PIECE = 12


class _Use(msgspec.Struct):
    name: str
    arguments: Mapping[str, Any] = {}


class _Turn(msgspec.Struct):
    """`seconds` is how long the model thinks before it speaks."""

    text: str = ""
    seconds: float = 0
    uses: list[_Use] = []


class _Script(msgspec.Struct):
    turns: list[_Turn]


class ScriptedModel:
    def __init__(self, path: Path) -> None:
        self.name = f"script:{path}"
        try:
            self._turns = msgspec.json.decode(path.read_bytes(), type=_Script).turns
        except FileNotFoundError:
            raise NotFound(f"There is no script {path}.") from None
        except msgspec.DecodeError as error:
            raise Damaged(f"{path} is no script of a model: {error}.") from None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Delta | Reply]:
        number = sum(isinstance(turn, Replied) for turn in turns)
        said = self._turns[number] if number < len(self._turns) else _Turn("That was all that my script says.")
        if said.seconds:
            await asyncio.sleep(said.seconds)
        for start in range(0, len(said.text), _PIECE):
            yield Delta(said.text[start : start + _PIECE])
            await asyncio.sleep(0)
        uses = tuple(
            ToolUse(f"use_{number}_{index}", use.name, msgspec.json.encode(use.arguments).decode())
            for index, use in enumerate(said.uses)
        )
        yield Reply(Replied(said.text, uses), Usage())
