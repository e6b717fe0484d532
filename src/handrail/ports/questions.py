"""Counts each caller's questions to people across all processes, so that several processes can't ask more."""

from typing import Protocol


class QuestionCounter(Protocol):
    async def note(self, who: str, most: int) -> bool:
        """Counts a question, unless there are `most` within a minute already; returns whether it was counted."""
        ...

    async def forget_one(self, who: str) -> None:
        """Uncounts the last question."""
        ...
