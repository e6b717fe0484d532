"""How many questions one caller may put to people in a minute. Beyond that its calls are refused, with the reason.

An approval that a person gives counts no more: who says yes as fast as they are asked is not flooded.
"""

from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller
from handrail.ports.questions import QuestionCounter

_SESSIONS = 3
"""How many times the limit all sessions of one program have together: it can open as many as it likes."""


class QuestionLimit:
    def __init__(self, asked: QuestionCounter, most: int) -> None:
        self._asked = asked
        self._most = most

    async def take(self, caller: Caller) -> None:
        """Before a person is asked. AskedTooOften."""
        if not await self._asked.note(_who(caller), self._most):
            raise self._too_often("This caller has", self._most)
        if _has_sessions(caller) and not await self._asked.note(caller.agent, _SESSIONS * self._most):
            await self._asked.forget_one(_who(caller))
            raise self._too_often("This program's sessions have", _SESSIONS * self._most)

    async def give_back(self, caller: Caller) -> None:
        """A person has said yes to what was asked last."""
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
    """Each command on a command line may be a session of its own: they are counted together."""
    return caller.agent if caller.face == "cli" else caller.identity


def _has_sessions(caller: Caller) -> bool:
    return _who(caller) != caller.agent
