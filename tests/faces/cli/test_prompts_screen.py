"""`handrail prompts` in a real terminal: a person sees what other processes ask, and answers."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from handrail.features.people.cli.screen.answering import READING_SECONDS
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.local.viewers import is_watched
from tests.faces.cli.machine import Machine
from tests.faces.cli.terminal import Terminal
from tests.waiting import PATIENCE
from tests.wire.clients import Stdio

CHANGE = {"kind": "file_change_confirm", "title": "Write a.txt", "diff": "@@ -1 +1 @@\n-one\n+1\n"}
LEFT = "\x1b[?1049l"  # the terminal shows its earlier content again
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")

ASK = """
import asyncio, json, sys
from pathlib import Path
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.stores.local.prompt_store import prompt_store
from tests.waiting import PATIENCE
queue = LogPromptQueue(prompt_store(Path(sys.argv[1])))
answer = asyncio.run(queue.ask(json.loads(sys.argv[2]), request_id=sys.argv[3]))
print(answer.response.status)
"""


@contextmanager
def asking(machine: Machine, prompt: object, request_id: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that asks and waits."""
    words = [sys.executable, "-c", ASK, str(machine.state), json.dumps(prompt), request_id]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def screen(machine: Machine, **environ: str) -> Terminal:
    return Terminal(machine, "prompts", stdout_is_terminal=True, **environ)  # type: ignore[arg-type]


def responses(machine: Machine) -> dict[str, Any]:
    lines = map(json.loads, (machine.state / "ui-prompts.jsonl").read_text(encoding="utf-8").splitlines())
    return {line["requestId"]: line["response"] for line in lines if line["action"] == "response"}


def leave(terminal: Terminal, key: str = "q") -> int:
    terminal.press(key)
    terminal.wait_for(LEFT)
    return terminal.end()[0]


def press_until(terminal: Terminal, key: str, text: str) -> None:
    """A key is refused in the first moment: then it is pressed again, as a person would do."""
    terminal.press(key)
    while terminal.wait_for_any("only just appeared", text) != text:
        terminal.press(key)


def test_an_approval_reaches_the_process_that_asks(machine: Machine) -> None:
    terminal = screen(machine)
    terminal.wait_for("Nothing is waiting for you.")
    with asking(machine, CHANGE, "approval_1") as process:
        terminal.wait_for("Write a.txt")
        press_until(terminal, "y", "Answered by you")
        assert process.communicate(timeout=PATIENCE)[0] == "ok\n"
    # no scope: whatever its id is, it isn't an approval of handrail
    assert responses(machine) == {"approval_1": {"status": "ok"}}
    assert leave(terminal) == 0


def test_an_approval_lets_an_agents_call_run_and_records_the_user(machine: Machine) -> None:
    terminal = screen(machine)
    terminal.wait_for("Nothing is waiting for you.")
    agent = Stdio(machine.project, machine.state)
    with ThreadPoolExecutor(1) as pool, agent.process:
        try:
            pending = pool.submit(agent.call, "replace_in_file", {"path": "a.txt", "find": "two", "replace": "2"})
            terminal.wait_for("two")
            press_until(terminal, "y", "Answered by you")
            assert pending.result(timeout=PATIENCE).result == {"count": 1}
        finally:
            agent.process.kill()
    assert machine.text("a.txt") == "one\n2\n"
    (request_id,) = responses(machine)
    answered_by = LogPromptQueue(prompt_store(machine.state)).answered_by([request_id])
    assert asyncio.run(answered_by)[request_id].startswith("terminal:")
    assert leave(terminal) == 0


def test_an_answer_from_another_process_is_shown_in_place(machine: Machine) -> None:
    with asking(machine, CHANGE, "approval_1"):
        terminal = screen(machine)
        terminal.wait_for("Write a.txt")
        assert machine.run("prompts", "answer", "approval_1", "--cancel", "--remark", "mine").status == 0
        terminal.wait_for("Answered elsewhere")
        terminal.press("y")
        terminal.wait_for("is settled")
    assert responses(machine) == {"approval_1": {"status": "canceled", "remark": "mine"}}
    assert leave(terminal) == 0


def test_while_it_is_open_no_other_window_is_opened(machine: Machine) -> None:
    terminal = screen(machine)
    terminal.wait_for("Nothing is waiting for you.")
    assert is_watched(machine.state)
    assert leave(terminal) == 0
    assert not is_watched(machine.state)


def test_without_a_terminal_on_both_sides_it_is_the_list(machine: Machine) -> None:
    assert machine.run("prompts").out == "Nothing is waiting for you.\n"
    terminal = Terminal(machine, "prompts")
    assert terminal.end() == (0, b"Nothing is waiting for you.\n")
    terminal = Terminal(machine, "prompts", stdout_is_terminal=True, TERM="dumb")
    terminal.wait_for("Nothing is waiting for you.")
    assert terminal.end()[0] == 0


@pytest.mark.trial("terminal views", is_long=True)
def test_colours_are_for_terminals_that_want_them(machine: Machine) -> None:
    def drawn(**environ: str) -> str:
        terminal = screen(machine, **environ)
        terminal.wait_for("allow")
        assert leave(terminal) == 0
        return terminal.screen

    with asking(machine, CHANGE, "approval_1"):
        assert COLOUR.search(drawn())
        assert COLOUR.search(drawn(COLORTERM="truecolor"))
        plain = drawn(NO_COLOR="1")
    assert not COLOUR.search(plain)
    assert re.search(r"\x1b\[(?:\d+;)*7(?:;\d+)*mWrite a.txt", plain)  # the row of the list


def test_ctrl_c_and_sigterm_give_the_terminal_back(machine: Machine) -> None:
    terminal = screen(machine)
    terminal.wait_for("Nothing is waiting for you.")
    assert leave(terminal, "\x03") == 130
    terminal = screen(machine)
    terminal.wait_for("Nothing is waiting for you.")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.wait_for(LEFT)
    assert terminal.end()[0] == 143


def test_it_speaks_the_persons_language(machine: Machine) -> None:
    terminal = screen(machine, HANDRAIL_LANG="zh")
    terminal.wait_for("没有需要你处理的事。")
    assert leave(terminal) == 0


def test_other_commands_do_not_load_it(machine: Machine) -> None:
    script = (
        "import sys, handrail.faces.cli.main, handrail.faces.cli.call, handrail.wiring, handrail.faces.mcp.stdio;"
        "print([name for name in sys.modules if name.partition('.')[0] in ('textual', 'rich', 'markdown_it')])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_a_question_takes_no_key_for_less_than_half_a_second() -> None:
    assert 0.2 <= READING_SECONDS <= 0.5
