"""Who measures the gate from outside: metrics and traces. Gets names and times, never parameters or results."""

from contextlib import AbstractContextManager
from typing import Literal, Protocol

Step = Literal["validate", "policy", "approval", "run", "evidence", "audit"]


class CallTrace(Protocol):
    def step(self, name: Step) -> AbstractContextManager[None]:
        """Entered for as long as the step takes; a call may take it several times, or not at all."""
        ...

    def end(self, *, effect: str, decision: str, outcome: str) -> None:
        """`outcome` is `ok` or the condition that the call failed with; `decision` what the policy said first."""
        ...


class Observer(Protocol):
    def begin(self, tool: str, face: str, execution_id: str) -> CallTrace: ...

    def close(self) -> None:
        """Sends what was not sent yet. Blocks for a few seconds at most."""
        ...
