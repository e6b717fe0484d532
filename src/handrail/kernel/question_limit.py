"""Limits how many questions a caller may ask people per minute. Further calls are refused with the reason.

Questions that a person approved don't count: somebody who approves as fast as they are asked is not flooded.
"""

from collections.abc import Iterator

from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller, is_tokenless_program
from handrail.ports.questions import QuestionCounter

_SESSIONS = 3
"""The limit for all sessions of one program together, as a multiple: a program can open any number of sessions."""
_PROGRAMS = 6
"""The same for all programs without a token: an agent can start `handrail mcp` from any number of programs."""
_ALL_PROGRAMS = "every program without a token"


class QuestionLimit:
    def __init__(self, asked: QuestionCounter, most: int) -> None:
        self._asked = asked
        self._most = most

    async def take(self, caller: Caller) -> None:
        """Counts a question before a person is asked. AskedTooOften."""
        counted: list[str] = []
        for who, times, name in _groups(caller):
            if not await self._asked.note(who, times * self._most):
                for each in counted:
                    await self._asked.forget_one(each)
                raise _too_often(name, times * self._most)
            counted.append(who)

    async def give_back(self, caller: Caller) -> None:
        """Uncounts the last question, because a person approved it."""
        for who, _, _ in _groups(caller):
            await self._asked.forget_one(who)


def _groups(caller: Caller) -> Iterator[tuple[str, int, str]]:
    """Who is counted together, with the multiple of the limit that they have, and their name in words.

    Commands on a command line are counted together, because each may be a session of its own.
    """
    who = caller.agent if caller.face == "cli" else caller.identity
    yield who, 1, "This caller has"
    if who != caller.agent:
        yield caller.agent, _SESSIONS, "This program's sessions have"
    if is_tokenless_program(caller.agent):
        yield _ALL_PROGRAMS, _PROGRAMS, "All programs without a token together have"


def _too_often(who: str, most: int) -> AskedTooOften:
    return AskedTooOften(
        f"{who} asked people {most} questions within a minute, which is the limit.",
        hint="Wait a minute. A person can change the limit: `questions_per_minute` in config.toml.",
        reason="limit",
        mostPerMinute=most,
    )
