"""A model that says what a file says: for demonstrations and tests, without a key and without a network.

`{"values": {…}, "turns": [{"text": "…", "seconds": 1, "uses": [{"name": "…", "arguments": {…}}]}, …]}`. Every reply is
the next turn that fits, found anew from the conversation each time: a run that was cut off goes on at the right place.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec

from handrail.backends.models.script import Script, ScriptedTurn, read_script
from handrail.contract.errors import Damaged, NotFound
from handrail.contract.model import Delta, Replied, Reply, ToolOffer, ToolUse, Turn, Usage

_PIECE = 12
_END = ScriptedTurn("That was all that my script says.")


class ScriptedModel:
    def __init__(self, path: Path) -> None:
        self.name = f"script:{path}"
        try:
            self._script: Script = read_script(path.read_bytes())
        except FileNotFoundError:
            raise NotFound(f"There is no script {path}.") from None
        except (msgspec.DecodeError, ValueError) as error:
            raise Damaged(f"{path} is no script of a model: {error}.") from None

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Delta | Reply]:
        number = sum(isinstance(turn, Replied) for turn in turns)
        said = self._script.next_turn(turns) or _END
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
