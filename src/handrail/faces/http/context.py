"""What the routes of every feature share: the open project, and who the person at the console is."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handrail.faces.http.console_key import ConsoleKey
from handrail.kernel.gate import Gate
from handrail.kernel.program import Program
from handrail.kernel.project import Project

Record = Mapping[str, Any]
Follow = Callable[[], AsyncIterator[Sequence[Record]]]


@dataclass(frozen=True, slots=True)
class HttpContext:
    """`persons_gate` takes a person's own command for a yes; `person` is who that is.

    `trying_gate` is for tools that the person tries: what needs a yes is asked in the queue. `console_key` is what
    the person's own programs show beside the token.
    """

    project: Project
    language: str | None
    person: str
    persons_gate: Gate
    trying_gate: Gate
    program: Program
    console_key: ConsoleKey
