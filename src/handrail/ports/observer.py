"""The port to metrics and traces of the gate. It gets names and times, never parameters or results."""

from contextlib import AbstractContextManager
from typing import Literal, Protocol

Step = Literal["validate", "policy", "approval", "run", "evidence", "audit"]


class CallTrace(Protocol):
    def step(self, name: Step) -> AbstractContextManager[None]:
        """Measures a step; a call may have it several times, or not."""
        ...

    def end(self, *, effect: str, decision: str, outcome: str) -> None:
        """`outcome` is `ok` or the call's condition; `decision` the policy's first verdict."""
        ...


class Observer(Protocol):
    def begin(self, tool: str, face: str, execution_id: str) -> CallTrace: ...

    def close(self) -> None:
        """Sends the remaining data. Blocks for a few seconds at most."""
        ...
