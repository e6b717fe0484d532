"""Approvals of changes: what is shown, which keys work, how far a yes reaches."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.features.people.cli.screen.word import WordScreen
from handrail.kernel.presence import PresenceCheck
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.presence import TerminalProof
from handrail.ports.prompt_queue import OWN_ORIGIN, PromptQueue
from handrail.stores.local.presence import PasskeyFile, ProofFiles
from handrail.stores.local.prompt_store import prompt_store
from tests.features.people.screen.screen_user import using_screen

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
CHANGE = {
    "kind": "file_change_confirm",
    "title": "Write a.txt",
    "message": "Asked by mcp:agent",
    "source": "handrail/write_to_file",
    "path": "a.txt",
    "command": "make a",
    "cwd": "/home/ada/game",
    "diff": DIFF,
    "offers": [
        {"scope": "once"},
        {
            "scope": "task",
            "grant": {"tools": ["write_to_file"], "path": "a.txt", "project": "/srv", "identity": "me", "task": "t"},
            "what": 'write_to_file file "a.txt"',
            "until": "the task ends",
        },
        {
            "scope": "rule",
            "grant": {"tools": ["write_to_file"], "path": "a.txt", "project": "/srv", "identity": "me"},
            "what": 'write_to_file file "a.txt"',
            "until": "you remove the rule",
        },
    ],
}
APPROVAL = "approval_00ff"


async def test_a_page_shows_everything_that_would_happen(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN, run_id="run-7")
    async with using_screen(queue, log, size=(100, 30)) as user:
        for text in (
            "Write a.txt",
            "handrail/write_to_file",
            "run-7",
            "Asked by mcp:agent",
            "make a",
            "/home/ada/game",
        ):
            await user.until_shown(text)
        for text in ("+1 −1 lines", "1   one", "2 - two", "2 + 2"):
            await user.until_shown(text)


@pytest.mark.parametrize(("key", "scope"), [("y", "once"), ("t", "task"), ("r", "rule")])
async def test_the_key_decides_the_scope_of_an_approval(queue: PromptQueue, log: Path, key: str, scope: str) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press(key)
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": scope}
        await user.until_shown("Answered by you")
        assert await queue.answered_by([APPROVAL]) == {APPROVAL: "terminal:ada"}


@pytest.fixture
async def checked(state: Path) -> AsyncIterator[PromptQueue]:
    """A queue that requires proof of presence for answers that reach far."""
    presence = PresenceCheck(
        lambda: "critical", PasskeyFile(state), ProofFiles(state), lambda: TerminalProof("", 1, ""), lambda names: None
    )
    queue = LogPromptQueue(prompt_store(state), presence=presence)
    yield queue
    await queue.close()


async def test_a_yes_that_reaches_far_needs_the_word_that_is_shown(checked: PromptQueue, log: Path) -> None:
    await checked.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(checked, log) as user:
        await user.press("r")
        await user.until(lambda: isinstance(user.app.screen, WordScreen))
        await user.until_shown("always, by a rule")
        await user.press(*"rryyy", "enter")
        await user.until_said("The word wasn't typed")
        assert not user.responses
        await user.press("r")
        await user.until(lambda: isinstance(user.app.screen, WordScreen))
        await user.until_shown("Type ")
        await user.press(*user.screen.partition("Type ")[2][:5], "enter")
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "rule"}
        await user.until_shown("Answered by you")
    assert (await checked.proof_of(APPROVAL) or {})["kind"] == "terminal"


async def test_only_approvals_have_scopes(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id="an-apps-own")
    async with using_screen(queue, log) as user:
        assert not {"t", "r"} & set(user.keys)
        await user.press("t", "r")
        await user.until_said("only be allowed once")
        await user.press("y")
        assert await user.answered("an-apps-own") == {"status": "ok"}


@pytest.mark.trial("terminal views", is_long=True)
@pytest.mark.parametrize(("key", "covers"), [("r", {}), ("R", {"covers": "app"})])
async def test_a_call_of_an_app_is_allowed_for_its_tool_or_for_the_app(
    queue: PromptQueue, log: Path, key: str, covers: dict[str, str]
) -> None:
    consent = {"app": "com.example.mail", "appName": "Mail", "tool": "send_email"}
    await queue.request({**CHANGE, "consent": consent}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        assert {"r", "R"} <= set(user.keys)
        await user.press(key)
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "rule", **covers}
        await user.until_shown("every tool of the app" if covers else "this tool")


async def test_only_a_call_of_an_app_can_be_allowed_for_all_its_tools(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("R")
        await user.until_said("Only a call of an app")
        await user.press("n")


async def test_a_no_asks_for_a_remark_and_enter_denies(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("n")
        assert user.keys[:2] == ["Enter", "Esc"]
        await user.press(*"not y", "enter")
        assert await user.answered(APPROVAL) == {"status": "canceled", "remark": "not y"}


async def test_esc_leaves_the_denial_and_keeps_the_remark_for_an_approval(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("n", *"go on", "escape")
        assert user.responses == {}
        await user.press("y")
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "once", "remark": "go on"}


async def test_enter_does_not_approve(queue: PromptQueue, log: Path) -> None:
    await queue.request({**CHANGE, "defaultRemark": "as agreed"}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("enter", "enter", "ctrl+s", "tab", "enter")
        assert user.responses == {}
        await user.until_said("y allows")
        await user.press("escape", "y")
        assert (await user.answered(APPROVAL))["remark"] == "as agreed"


async def test_a_question_that_must_be_answered_cannot_be_denied(queue: PromptQueue, log: Path) -> None:
    await queue.request({**CHANGE, "allowCancel": False}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        assert "n" not in user.keys
        await user.press("n")
        await user.until_said("can't be canceled")
        assert not user.page.is_denying


async def test_a_key_pressed_before_a_question_appeared_does_not_answer_it(queue: PromptQueue, log: Path) -> None:
    async with using_screen(queue, log) as user:
        await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
        await user.until(lambda: user.shown == APPROVAL)
        await user.pilot.press("y")
        await user.until_said("only just appeared")
        assert user.responses == {}
        await user.press("y")
        await user.answered(APPROVAL)


async def test_a_move_takes_effect_before_the_next_key(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    await queue.request(CHANGE, request_id="approval_2", origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        user.clock.now += 1
        await user.pilot.press("j", "y")
        assert user.responses == {}
        assert user.shown == "approval_2"


async def test_no_text_hides_or_is_taken_for_markup(queue: PromptQueue, log: Path) -> None:
    hostile = "[bold red]safe[/] \u202e\u200b\x1b[2J\x07"
    change = {**CHANGE, "title": hostile, "message": hostile, "source": hostile, "path": hostile}
    await queue.request({**change, "diff": f"@@ -0,0 +1 @@\n+{hostile}\n"}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(120, 30)) as user:
        screen = user.screen
        assert not set(screen) & set("\u202e\u200b\x1b\x07")
        assert screen.count("[bold red]safe[/] \\u{202e}\\u{200b}\\u{1b}[2J\\u{7}") == 5


async def test_padding_cannot_hide_text_without_a_notice(queue: PromptQueue, log: Path) -> None:
    command = "make test" + " " * 2000 + "; rm -rf ~"
    await queue.request({"kind": "file_change_confirm", "command": command}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.until_shown("more below")
        assert "-rf" not in user.screen
        for _ in range(5):
            await user.press("space")
        await user.until_shown("-rf ~")
        await user.until(lambda: "more below" not in user.screen)
        await user.press("pageup", "J", "K")


@pytest.mark.trial("terminal views", is_long=True)
async def test_a_very_long_diff_is_shown_at_once_and_whole(queue: PromptQueue, log: Path) -> None:
    lines = "".join(f"+line {number}\n" for number in range(50_000))
    await queue.request({**CHANGE, "diff": f"@@ -0,0 +1,50000 @@\n{lines}"}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log) as user:
        await user.press("enter", "end")
        await user.until_shown("50000 + line 49999")


async def test_the_rule_behind_each_key_is_shown(queue: PromptQueue, log: Path) -> None:
    await queue.request(CHANGE, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 40)) as user:
        for text in ("r · always would allow", 'write_to_file file "a.txt"', "you remove the rule"):
            await user.until_shown(text)


async def test_a_prompt_of_another_program_is_always_marked_as_such(queue: PromptQueue, log: Path) -> None:
    await queue.request({**CHANGE, "offers": []}, request_id="approval_forged")
    async with using_screen(queue, log, size=(100, 30)) as user:
        await user.until_shown("another program, which calls itself handrail/write_to_file")
        assert not {"t", "r"} & set(user.keys)


@pytest.mark.parametrize("key", ["y", "t"])
async def test_allowing_something_unseen_takes_the_key_twice(queue: PromptQueue, log: Path, key: str) -> None:
    unseen = {**CHANGE, "unseen": "No picture could be taken.", "changed": ["was: 1 EUR", "now: 9999 EUR"]}
    await queue.request(unseen, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 40)) as user:
        for text in ("No picture could be taken.", "was: 1 EUR", "now: 9999 EUR"):
            await user.until_shown(text)
        await user.press(key)
        await user.until_shown("allow it anyway")
        assert len(await queue.pending()) == 1
        await user.press(key)
        assert (await user.answered(APPROVAL))["status"] == "ok"


PARTS = [
    {
        "path": "a.txt",
        "hunks": [
            {"startOld": 2, "startNew": 2, "linesOld": ["two"], "linesNew": ["2"]},
            {"startOld": 9, "startNew": 9, "linesOld": [], "linesNew": ["ten"]},
        ],
        "content": "one\n2\n",
    },
    {"path": "b.txt", "hunks": [{"startOld": 1, "startNew": 1, "linesOld": [], "linesNew": ["b"]}]},
]


async def test_a_person_takes_only_some_parts_of_a_change(queue: PromptQueue, log: Path) -> None:
    await queue.request({**CHANGE, "parts": PARTS}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 50)) as user:
        await user.until_shown("[x] 2  a.txt, line 9: +1 -0")
        assert "Enter" in user.keys
        await user.press("enter", "down", "space")
        await user.until_shown("[ ] 2  a.txt, line 9: +1 -0")
        assert {"Space", "e"} <= set(user.keys)
        await user.press("y")
        taken = [{"path": "a.txt", "hunks": [0]}, {"path": "b.txt"}]
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "once", "files": taken}


@pytest.mark.trial("terminal views", is_long=True)
async def test_marking_everything_is_a_full_approval_and_marking_nothing_is_refused(
    queue: PromptQueue, log: Path
) -> None:
    await queue.request({**CHANGE, "parts": PARTS}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 50)) as user:
        await user.press("enter", "x", "down", "x", "down", "x", "y")
        await user.until_shown("Nothing is marked")
        assert APPROVAL not in user.responses
        await user.press("x", "up", "x", "up", "x", "y")
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "once"}


async def test_a_person_can_edit_the_proposed_text_before_approving(queue: PromptQueue, log: Path) -> None:
    await queue.request({**CHANGE, "parts": PARTS}, request_id=APPROVAL, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 50)) as user:
        await user.press("enter", "e", *"my ", "escape")
        await user.until_shown("a.txt, line 2: +1 -1 · edited by you")
        await user.press("enter", "down", "down", "e")
        await user.until_shown("can't be edited here")
        await user.press("space", "y")
        edited = [{"path": "a.txt", "content": "my one\n2\n"}]
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "once", "files": edited}


@pytest.mark.trial("terminal views", is_long=True)
async def test_of_one_file_the_answer_has_its_hunks_or_its_text(queue: PromptQueue, log: Path) -> None:
    for request_id in (APPROVAL, f"{APPROVAL}1"):
        await queue.request({**CHANGE, "parts": PARTS[:1]}, request_id=request_id, origin=OWN_ORIGIN)
    async with using_screen(queue, log, size=(100, 50)) as user:
        await user.press("enter", "x", "y")
        assert await user.answered(APPROVAL) == {"status": "ok", "scope": "once", "hunks": [1]}
        await user.press("escape", "enter", "enter", "e", "x", "escape", "y")
        assert await user.answered(f"{APPROVAL}1") == {"status": "ok", "scope": "once", "content": "xone\n2\n"}


def written(log: Path) -> str:
    return log.read_text()


async def test_a_password_in_a_question_is_shown_on_request_and_never_logged(queue: PromptQueue, log: Path) -> None:
    question = {**CHANGE, "source": "handrail/desktop_type_text", "message": "text: ******", "masked": ["text"]}
    asking = asyncio.create_task(
        queue.ask(question, request_id=APPROVAL, origin=OWN_ORIGIN, masked={"text": "correct horse 9z"})
    )
    async with using_screen(queue, log, size=(100, 30)) as user:
        await user.until_shown("text: ******")
        assert "s" in user.keys
        assert "correct horse" not in user.screen
        await user.press("s")
        await user.until_shown("correct horse 9z")
        await user.press("y")
        await user.answered(APPROVAL)
        await asking
        await user.until(lambda: "correct horse" not in user.screen)
    assert "correct horse" not in written(log)
