"""A question about something that can't be seen needs a whole word at the terminal."""

import asyncio
import io
import os
import pty

import pytest

from handrail.features.people.cli.terminal_questions import TerminalQuestions
from handrail.kernel.approval import Question
from handrail.kernel.call import Call
from handrail.kernel.tool import Difference, Preview
from handrail.ports.effect import Effect
from handrail.ports.identity import Caller
from tests.waiting import eventually


@pytest.mark.anyio
async def test_at_the_terminal_a_letter_does_not_allow_what_cant_be_seen() -> None:
    preview = Preview(
        'Click button "Pay" at http://bank.test/',
        unseen="It is covered.",
        changed=[Difference("was", "Price", "1"), Difference("now", "Price", "9999")],
    )
    call = Call("browser_click", {"clickId": "18"}, Caller("mcp", "agent", "uid:0", "agent:test"))
    question = Question(call, "Click", Effect.UI_CONTROL, call.params, preview, "d")
    master, keyboard = pty.openpty()
    screen = io.StringIO()
    times = 0

    async def asked_again() -> None:
        nonlocal times
        times += 1
        await eventually(lambda: screen.getvalue().count("Allow?") == times)

    asking = asyncio.create_task(TerminalQuestions(keyboard)._ask_on(question, screen))
    try:
        for typed in (b"y\n", b"t\n", b"a\n", b"\n"):
            await asked_again()
            os.write(master, typed)
        await asked_again()
        assert not asking.done()
        assert "You can't see the target: It is covered." in screen.getvalue()
        assert "now: Price: 9999" in screen.getvalue()
        os.write(master, b"allow\n")
        answer = await asking
        assert (answer.status, answer.scope) == ("ok", "once")
    finally:
        asking.cancel()
        os.close(master)
        os.close(keyboard)


@pytest.mark.anyio
async def test_at_the_terminal_a_password_is_shown_only_on_request() -> None:
    preview = Preview('Type "******" into securetextfield "Password"', masked={"text": "correct horse 9z"})
    call = Call("desktop_type_text", {"text": "******"}, Caller("mcp", "agent", "uid:0", "agent:test"))
    question = Question(call, "Type text", Effect.UI_CONTROL, call.params, preview, "d")
    master, keyboard = pty.openpty()
    screen = io.StringIO()
    asking = asyncio.create_task(TerminalQuestions(keyboard)._ask_on(question, screen))
    try:
        await eventually(lambda: "[s]how password" in screen.getvalue())
        assert "correct horse" not in screen.getvalue()
        os.write(master, b"s\n")
        await eventually(lambda: "correct horse 9z" in screen.getvalue())
        assert not asking.done()
        assert "correct horse" not in repr(question)
        os.write(master, b"n\n")
        assert (await asking).status == "canceled"
    finally:
        asking.cancel()
        os.close(master)
        os.close(keyboard)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
