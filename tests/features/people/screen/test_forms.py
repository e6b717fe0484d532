"""Forms, choices and results, used with the keyboard."""

import asyncio
from pathlib import Path

import pytest
from textual import events

from handrail.ports.prompt_queue import PromptQueue
from tests.features.people.screen.screen_user import using_screen

FORM = {
    "kind": "kv",
    "title": "Sign in",
    "fields": [
        {"key": "user", "label": "User name", "required": True, "placeholder": "ada"},
        {"key": "token", "label": "Token", "secret": True},
        {"key": "note", "description": "Anything to know", "multiline": True, "default": "one\ntwo"},
    ],
}
ONE = {"kind": "choice", "options": [{"value": "a", "label": "Alpha"}, {"value": "b", "description": "the second"}]}
SOME = {
    "kind": "choice",
    "multiple": True,
    "options": [{"value": value} for value in "abc"],
    "default": ["a"],
    "minSelections": 1,
    "maxSelections": 2,
}
RESULT = {
    "kind": "result",
    "title": "Done",
    "markdown": "# All done\n\n**Two** files, see [notes](https://evil.example) <b>x</b> &#8238;\n\n- one\n",
}


def written(state: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())


async def test_a_form_is_filled_in_and_sent_by_enter(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.until_shown("Anything to know")
        await user.press("enter", *"qyn", "enter")
        assert await user.answered("f") == {
            "status": "ok",
            "values": {"user": "qyn", "token": "******", "note": "one\ntwo"},
        }
        assert user.app.focused is not None
        assert user.app.focused.id == "waiting"


async def test_a_secret_reaches_only_the_waiter(queue: PromptQueue, other: PromptQueue, log: Path, state: Path) -> None:
    asking = asyncio.create_task(other.ask(FORM, request_id="f"))
    async with using_screen(queue, log) as user:
        await user.until(lambda: user.shown == "f")
        await user.press("enter", *"ada", "tab", *"hunter2")
        await user.until_shown("•••••••")
        assert "hunter2" not in user.screen
        await user.press("enter")
        answer = await asking
        assert answer.response.values == {"user": "ada", "token": "hunter2", "note": "one\ntwo"}
        await user.until_shown("Answered by you")
        assert user.typed[:2] == ["ada", ""]
        assert "hunter2" not in user.screen
    assert b"hunter2" not in written(state)


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_secret_field_says_if_no_program_is_waiting(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("enter", "a", "down", "b", "ctrl+s")
        await user.answered("f")
        await user.until(lambda: "No program was waiting for the secret values" in user.status.replace("\n", " "))


async def test_a_missing_value_is_reported_at_its_field_and_nothing_typed_is_lost(
    queue: PromptQueue, log: Path
) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("enter", "tab", *"s3", "enter")
        await user.until_shown("Please fill this in.")
        assert user.responses == {}
        assert user.typed == ["", "s3"]
        await user.press("x")
        assert "Please fill this in." not in user.screen
        assert user.typed == ["x", "s3"]


@pytest.mark.trial("terminal views", is_long=True)
async def test_in_a_field_of_several_lines_enter_breaks_the_line_and_ctrl_s_sends(
    queue: PromptQueue, log: Path
) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("enter", "a", "tab", "tab", "enter", "x")
        assert user.responses == {}
        await user.press("ctrl+s")
        assert (await user.answered("f"))["values"]["note"] == "\nxone\ntwo"


async def test_typed_text_is_kept_while_another_question_is_shown(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    await queue.request(ONE, request_id="c")
    async with using_screen(queue, log) as user:
        await user.press("enter", *"half", "escape", "j")
        assert user.shown == "c"
        await user.press("k")
        assert user.shown == "f"
        assert user.typed[0] == "half"


@pytest.mark.trial("terminal views", is_long=True)
async def test_letters_are_typed_into_a_field_and_y_does_not_send_the_form(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("y")
        await user.until_said("Enter")
        await user.press(*"yntraqd?jk")
        assert user.typed[0] == "yntraqd?jk"
        assert user.responses == {}


async def test_hidden_characters_of_a_default_are_spelled_out(queue: PromptQueue, log: Path) -> None:
    fields = [{"key": "a", "default": "x\u202ey\x1b"}, {"key": "b", "multiline": True, "default": "p\u200bq"}]
    await queue.request({"kind": "kv", "fields": fields}, request_id="f")
    async with using_screen(queue, log) as user:
        assert not set(user.screen) & set("\u202e\x1b\u200b")
        await user.until_shown("x\\u{202e}y\\u{1b}")
        await user.until_shown("p\\u{200b}q")
        await user.press("enter", "ctrl+s")
        assert (await user.answered("f"))["values"] == {"a": "x\u202ey\x1b", "b": "p\u200bq"}


async def test_pasted_text_is_kept_completely(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("enter")
        assert user.app.focused is not None
        user.app.focused.post_message(events.Paste("one\ntwo"))
        await user.until(lambda: user.typed[0] == "one\ntwo")
        await user.until_shown("Contains hidden characters")
        await user.press("ctrl+s")
        assert (await user.answered("f"))["values"]["user"] == "one\ntwo"


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_form_is_canceled_by_n(queue: PromptQueue, log: Path) -> None:
    await queue.request(FORM, request_id="f")
    async with using_screen(queue, log) as user:
        await user.press("n")
        assert await user.answered("f") == {"status": "canceled"}


@pytest.mark.trial("terminal views", is_long=True)
async def test_one_option_is_marked_first_and_sent_by_the_next_enter(queue: PromptQueue, log: Path) -> None:
    await queue.request(ONE, request_id="c")
    async with using_screen(queue, log) as user:
        await user.press("enter", "ctrl+s")
        await user.until_shown("Please choose one.")
        await user.press("j", "enter")
        await user.until_shown("(•) b")
        await user.until_shown("the second")
        assert user.responses == {}
        await user.press("enter")
        assert await user.answered("c") == {"status": "ok", "selection": "b"}


@pytest.mark.trial("terminal views", is_long=True)
async def test_several_options_stay_within_their_limits(queue: PromptQueue, log: Path) -> None:
    await queue.request(SOME, request_id="c")
    async with using_screen(queue, log) as user:
        await user.until_shown("Choose 1 to 2 · 1 chosen")
        await user.press("enter", "down", "space", "down", "x", "enter")
        await user.until_shown("Please choose fewer.")
        await user.press("x", "up", "up", "space", "down", "space", "enter")
        await user.until_shown("Please choose more.")
        await user.press("space", "down", "space", "down", "enter")
        assert await user.answered("c") == {"status": "ok", "selection": ["b", "c"]}


@pytest.mark.trial("terminal views", is_long=True)
async def test_an_option_is_picked_by_a_click(queue: PromptQueue, log: Path) -> None:
    await queue.request(ONE, request_id="c")
    async with using_screen(queue, log) as user:
        await user.pilot.click("OptionRow")
        await user.until_shown("(•) Alpha")


async def test_a_result_hides_nothing_and_is_acknowledged(queue: PromptQueue, log: Path) -> None:
    await queue.request(RESULT, request_id="r")
    await queue.request(RESULT, request_id="r2")
    async with using_screen(queue, log) as user:
        await user.until_shown("All done")
        for text in ("https://evil.example", "<b>x</b>", "&#8238;", "• one"):
            await user.until_shown(text)
        assert "**" not in user.screen
        await user.press("y")
        assert await user.answered("r") == {"status": "ok"}
        await user.press("enter", "enter", "ctrl+s")
        assert await user.answered("r2") == {"status": "ok"}


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_very_long_result_is_shown_unformatted(queue: PromptQueue, log: Path) -> None:
    await queue.request({"kind": "result", "markdown": "# head\n" + "- item\n" * 10_000}, request_id="r")
    async with using_screen(queue, log) as user:
        await user.until_shown("# head")
