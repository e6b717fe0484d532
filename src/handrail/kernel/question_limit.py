"""How many questions one caller may put to people in a minute. Beyond that its calls are refused, with the reason.

An approval that a person gives counts no more: who says yes as fast as they are asked is not flooded.
"""

from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller
from handrail.ports.questions import AskedQuestions


class QuestionLimit:
    def __init__(self, asked: AskedQuestions, most: int) -> None:
        self._asked = asked
        self._most = most

    async def take(self, caller: Caller) -> None:
        """Before a person is asked. AskedTooOften."""
        if not await self._asked.note(_who(caller), self._most):
            raise AskedTooOften(
                f"This caller has asked people {self._most} questions within a minute, which is the limit.",
                hint="Wait a minute. A person can change the limit: `questions_per_minute` in config.toml.",
                reason="limit",
                mostPerMinute=self._most,
            )

    async def give_back(self, caller: Caller) -> None:
        """A person has said yes to what was asked last."""
        await self._asked.forget_one(_who(caller))


def _who(caller: Caller) -> str:
    """Each command on a command line may be a session of its own: they are counted together."""
    return caller.agent if caller.face == "cli" else caller.identity
