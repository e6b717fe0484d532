"""How many questions one caller may put to people in a minute. Beyond that its calls are refused, with the reason."""

from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller
from handrail.ports.questions import AskedQuestions


class QuestionLimit:
    def __init__(self, asked: AskedQuestions, most: int) -> None:
        self._asked = asked
        self._most = most

    async def take(self, caller: Caller) -> None:
        """Before a person is asked. AskedTooOften."""
        # Each command on a command line may be a session of its own: they are counted together.
        who = caller.agent if caller.face == "cli" else caller.identity
        if not await self._asked.note(who, self._most):
            raise AskedTooOften(
                f"This caller has asked people {self._most} questions within a minute, which is the limit.",
                hint="Wait a minute. A person can change the limit: `questions_per_minute` in config.toml.",
                reason="limit",
                mostPerMinute=self._most,
            )
