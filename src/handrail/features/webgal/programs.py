"""The port to child programs that belong to a call: whatever they start ends with them."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol


class Program(Protocol):
    """One running command. It never reads from us, and what it and its children print comes as one stream."""

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """What is printed, until the command and all that it started have ended."""
        ...

    @property
    def status(self) -> int | None:
        """The command's exit status, 128 and more for a signal, as a shell has it; None while it runs."""
        ...

    @property
    def may_have_left_something(self) -> bool:
        """It has killed what watched over it: what it had started was looked for and ended, as far as it was found."""
        ...

    def ports(self) -> list[int]:
        """The TCP ports on which it, or anything that it started, takes connections."""
        ...

    def end(self) -> None:
        """Ends it and everything that it started, without waiting for that."""
        ...

    async def ended(self) -> None:
        """The same, and waits until nothing is left, however often the wait is cancelled."""
        ...


class Programs(Protocol):
    def start(self, command: Sequence[str], folder: int, environ: Mapping[str, str]) -> Program:
        """`folder` is a held descriptor; `environ` is all that the command gets to know. InputOutput."""
        ...
