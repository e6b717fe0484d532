"""What a scripted model says to a real client, turn by turn, and what it expects to hear back."""

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """Text. A turn without a tool call ends the client's work."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call. With `server`, it is that MCP server's tool, however the client spells it; else the client's own.

    `expects` has to occur in the tool's result, and `rejects` must not.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""
    expects: str = ""
    rejects: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered, as the client passed it to its model."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool in the client's request. `space` is the group it is in, where the wire has groups."""

    name: str
    space: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks its model: the tools that it offers, and what the last ones answered."""

    offered: Sequence[Offered]
    results: Sequence[Result]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A `Use` in the client's own spelling."""

    call_id: str
    name: str
    space: str
    arguments: Mapping[str, Any]


Part = Say | Use
Turn = Part | Sequence[Part] | Callable[[Sequence[Result]], Part | Sequence[Part]]
"""A function gets the results of the turn before."""
Answer = Sequence[Say | ToolCall]
END = Say("The script is at its end.")


class Script:
    """Gives out one turn per request. What differs from what the turns expect is kept in `failures`."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = list(turns)
        self._numbers = itertools.count(1)
        self._waiting: dict[str, Use] = {}
        self._turn = threading.Lock()
        self._results: dict[str, Result] = {}
        self.failures: list[str] = []

    @property
    def results(self) -> list[Result]:
        """Of every call, in the order in which they came back."""
        return list(self._results.values())

    @property
    def left(self) -> int:
        return len(self._turns)

    def answer(self, asked: Asked) -> Answer:
        with self._turn:
            for result in asked.results:
                self._check(result)
            if not self._turns:
                return [END]
            turn = self._turns.pop(0)
            parts = turn(asked.results) if callable(turn) else turn
            return [self._spelled(part, asked) for part in ([parts] if isinstance(parts, Say | Use) else parts)]

    def _spelled(self, part: Part, asked: Asked) -> Say | ToolCall:
        if isinstance(part, Say):
            return part
        tool = next((each for each in asked.offered if _is_meant(part, each)), None)
        if tool is None:
            names = ", ".join(
                sorted(f"{each.space}/{each.name}" if each.space else each.name for each in asked.offered)
            )
            self.failures.append(f"the client offers no {part.server} {part.tool}; it offers {names}")
            return END
        call = ToolCall(f"call_{next(self._numbers):04}", tool.name, tool.space, part.arguments)
        self._waiting[call.call_id] = part
        return call

    def _check(self, result: Result) -> None:
        part = self._waiting.pop(result.call_id, None)
        if part is None:
            return
        self._results[result.call_id] = result
        if part.expects not in result.text:
            self.failures.append(f"{part.tool} answered without {part.expects!r}: {result.text}")
        if part.rejects and part.rejects in result.text:
            self.failures.append(f"{part.tool} answered with {part.rejects!r}: {result.text}")


def _is_meant(part: Use, tool: Offered) -> bool:
    if not part.server:
        return tool.name == part.tool and not tool.space
    return tool.name.endswith(part.tool) and part.server in (tool.space or tool.name)
