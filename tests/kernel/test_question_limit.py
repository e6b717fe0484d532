"""How many questions people get from one caller, and from all sessions of one program."""

from pathlib import Path

import pytest

from handrail.kernel.question_limit import QuestionLimit
from handrail.ports.errors import AskedTooOften
from handrail.ports.identity import Caller
from handrail.wiring import Wiring


def session(number: int, program: str = "program:a") -> Caller:
    return Caller("stdio", "agent", "p", f"stdio:{number}", program)


async def asked(limit: QuestionLimit, caller: Caller, times: int = 10) -> int:
    for count in range(times):
        try:
            await limit.take(caller)
        except AskedTooOften:
            return count
    return times


async def test_a_program_gets_no_more_questions_by_opening_more_sessions(tmp_path: Path) -> None:
    stores = Wiring().open_stores(tmp_path / "state")
    try:
        limit = QuestionLimit(stores.questions, 2)
        assert [await asked(limit, session(number)) for number in range(6)] == [2, 2, 2, 0, 0, 0]
        assert await asked(limit, session(7, "program:b")) == 2, "another program isn't kept from asking"
        await limit.give_back(session(0))
        assert await asked(limit, session(8)) == 1
        with pytest.raises(AskedTooOften, match="sessions"):
            await limit.take(session(9))
    finally:
        stores.close()


async def test_a_program_gets_no_more_questions_by_starting_sessions_from_other_programs(tmp_path: Path) -> None:
    stores = Wiring().open_stores(tmp_path / "state")
    try:
        limit = QuestionLimit(stores.questions, 2)
        others = [session(number, f"program:0:{number}") for number in range(4)]
        others += [Caller("stdio", "agent", "p", name, name) for name in ("stdio:1.2:3.4", "process:5.6", "stdio:7:8")]
        assert [await asked(limit, each) for each in others] == [2, 2, 2, 2, 2, 2, 0]
        with pytest.raises(AskedTooOften, match=r"^All programs without a token together have asked people 12 "):
            await limit.take(Caller("stdio", "agent", "p", "stdio:9", "program:0:9"))
        assert await asked(limit, Caller("http", "agent", "p", "agent:a")) == 2, "an agent with a token may still ask"
        assert await asked(limit, Caller("cli", "ada", "p", "terminal:0:1.2", "person:0")) == 2
        await limit.give_back(others[0])
        assert await asked(limit, others[6]) == 1
    finally:
        stores.close()


async def test_who_asks_too_often_is_told_the_limit_and_what_to_do(tmp_path: Path) -> None:
    stores = Wiring().open_stores(tmp_path / "state")
    try:
        limit = QuestionLimit(stores.questions, 2)
        assert await asked(limit, session(0)) == 2
        with pytest.raises(AskedTooOften) as refused:
            await limit.take(session(0))
        assert refused.value.message == "This caller has asked people 2 questions within a minute, which is the limit."
        assert refused.value.hint == (
            "Wait a minute. A person can change the limit: `questions_per_minute` in config.toml."
        )
        assert refused.value.details == {"reason": "limit", "mostPerMinute": 2}
        assert [await asked(limit, session(number)) for number in (1, 2)] == [2, 2]
        with pytest.raises(AskedTooOften, match=r"^This program's sessions have asked people 6 questions") as refused:
            await limit.take(session(3))
        assert refused.value.details["mostPerMinute"] == 6
        for _ in range(3):  # what was refused for its program doesn't count against the session
            with pytest.raises(AskedTooOften, match="sessions"):
                await limit.take(session(3))
    finally:
        stores.close()


async def test_commands_of_one_program_count_as_one_caller(tmp_path: Path) -> None:
    stores = Wiring().open_stores(tmp_path / "state")
    try:
        limit = QuestionLimit(stores.questions, 2)
        commands = [Caller("cli", "agent", "p", f"cli:{number}", "program:a") for number in range(3)]
        assert [await asked(limit, command, 1) for command in commands] == [1, 1, 0]
        await limit.give_back(commands[0])
        assert [await asked(limit, commands[2], 1), await asked(limit, commands[1], 1)] == [1, 0]
    finally:
        stores.close()
