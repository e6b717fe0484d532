"""What a scripted model tells a real client, turn by turn, and what it expects in return."""

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
    """A tool call. With `server`, it is that MCP server's tool, however the client names it; otherwise the client's
    own.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""
    expects: str = ""
    rejects: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer, as the client passed it to its model."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool in the client's request. `space` is its group, if the wire has groups."""

    name: str
    space: str = ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A client's request to its model: the tools that it offers, and the last tools' answers."""

    offered: Sequence[OfferedTool]
    results: Sequence[Result]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A `Use` with the client's own tool name."""

    call_id: str
    name: str
    space: str
    arguments: Mapping[str, Any]


Part = Say | Use
Turn = Part | Sequence[Part] | Callable[[Sequence[Result]], Part | Sequence[Part]]
"""A function gets the previous turn's results."""
Answer = Sequence[Say | ToolCall]
END = Say("The script is at its end.")


class Script:
    """Gives out one turn per request. Differences from the turns' expectations are kept in `failures`."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = list(turns)
        self._numbers = itertools.count(1)
        self._waiting: dict[str, Use] = {}
        self._turn = threading.Lock()
        self._results: dict[str, Result] = {}
        self.failures: list[str] = []

    @property
    def results(self) -> list[Result]:
        """The results of all calls, in the order in which they came back."""
        return list(self._results.values())

    @property
    def remaining(self) -> int:
        return len(self._turns)

    def answer(self, request: ModelRequest) -> Answer:
        with self._turn:
            for result in request.results:
                self._check(result)
            if not self._turns:
                return [END]
            turn = self._turns.pop(0)
            parts = turn(request.results) if callable(turn) else turn
            return [
                self._with_client_name(part, request) for part in ([parts] if isinstance(parts, Say | Use) else parts)
            ]

    def _with_client_name(self, part: Part, request: ModelRequest) -> Say | ToolCall:
        if isinstance(part, Say):
            return part
        tool = next((each for each in request.offered if _matches(part, each)), None)
        if tool is None:
            names = ", ".join(
                sorted(f"{each.space}/{each.name}" if each.space else each.name for each in request.offered)
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


def _matches(part: Use, tool: OfferedTool) -> bool:
    if not part.server:
        return tool.name == part.tool and not tool.space
    return tool.name.endswith(part.tool) and part.server in (tool.space or tool.name)
