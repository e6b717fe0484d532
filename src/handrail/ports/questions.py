"""Who has asked people how often: kept for all processes, so that nobody asks more by asking from several."""

from typing import Protocol


class QuestionCounter(Protocol):
    async def note(self, who: str, most: int) -> bool:
        """Notes one more question, unless that would be more than `most` within a minute. Whether it was noted."""
        ...

    async def forget_one(self, who: str) -> None:
        """The last one that was noted counts no more."""
        ...
