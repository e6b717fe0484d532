"""Limits how many questions a caller may ask people per minute. Further calls are refused with the reason.

Questions that a person approved don't count: somebody who approves as fast as they are asked is not flooded.
"""

from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller
from handrail.ports.questions import QuestionCounter

_SESSIONS = 3
"""The limit for all sessions of one program together, as a multiple: a program can open any number of sessions."""


class QuestionLimit:
    def __init__(self, asked: QuestionCounter, most: int) -> None:
        self._asked = asked
        self._most = most

    async def take(self, caller: Caller) -> None:
        """Counts a question before a person is asked. AskedTooOften."""
        if not await self._asked.note(_who(caller), self._most):
            raise self._too_often("This caller has", self._most)
        if _has_sessions(caller) and not await self._asked.note(caller.agent, _SESSIONS * self._most):
            await self._asked.forget_one(_who(caller))
            raise self._too_often("This program's sessions have", _SESSIONS * self._most)

    async def give_back(self, caller: Caller) -> None:
        """Uncounts the last question, because a person approved it."""
        await self._asked.forget_one(_who(caller))
        if _has_sessions(caller):
            await self._asked.forget_one(caller.agent)

    @staticmethod
    def _too_often(who: str, most: int) -> AskedTooOften:
        return AskedTooOften(
            f"{who} asked people {most} questions within a minute, which is the limit.",
            hint="Wait a minute. A person can change the limit: `questions_per_minute` in config.toml.",
            reason="limit",
            mostPerMinute=most,
        )


def _who(caller: Caller) -> str:
    """Commands on a command line are counted together, because each may be a session of its own."""
    return caller.agent if caller.face == "cli" else caller.identity


def _has_sessions(caller: Caller) -> bool:
    return _who(caller) != caller.agent
