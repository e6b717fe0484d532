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
