"""The question on the terminal: what it shows, which answers it accepts, how it ends."""

import json
from pathlib import Path

from tests.faces.cli.machine import HANDRAIL, Machine
from tests.faces.cli.terminal import PROMPT, Terminal
from tests.faces.cli.test_apps import ECHO, Home
from tests.persons import without_presence

REPLACE = {"path": "a.txt", "find": "two", "replace": "2"}


def run_call(machine: Machine, params: object = REPLACE, *, tool: str = "replace_in_file", **more: object) -> Terminal:
    return Terminal(machine, "call", tool, json.dumps(params), **more)  # type: ignore[arg-type]


def test_an_approval_lets_the_call_run_and_records_the_user(machine: Machine) -> None:
    terminal = run_call(machine)
    page = terminal.wait_for(PROMPT)
    terminal.press("y\n")
    status, result = terminal.result()
    assert (status, result["count"]) == (0, 1)
    assert machine.text("a.txt") == "one\n2\n"
    for words in ("replace_in_file", "Replace in a file", "WRITE", "cli:", 'find: "two"', "path: a.txt", "-two", "+2"):
        assert words in page
    (completed,) = machine.run("history", "--json").json["history"]
    assert completed["answer"]["status"] == "ok"
    assert completed["answer"]["by"].startswith("terminal:")


def test_a_no_denies_and_a_remark_goes_to_the_caller(machine: Machine) -> None:
    for typed, remark in (("n\n", None), ("no, use 二 instead\n", "use 二 instead"), ("\x04", None)):
        terminal = run_call(machine)
        terminal.wait_for(PROMPT)
        terminal.press(typed)
        status, result = terminal.result()
        assert (status, result["error"]["code"]) == (1, "E_POLICY_VIOLATION")
        assert result["error"]["details"].get("remark") == remark
    assert machine.text("a.txt") == "one\ntwo\n"


def test_ctrl_c_withdraws_the_question_and_nothing_is_done(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.wait_for(PROMPT)
    terminal.press("\x03")
    assert terminal.end() == (130, b"")
    assert "Traceback" not in terminal.screen
    assert machine.text("a.txt") == "one\ntwo\n"
    (entry,) = machine.run("history", "--json").json["history"]
    assert (entry["status"], entry["error"]["condition"]) == ("failed", "Aborted")


def test_only_a_clear_answer_after_the_question_is_accepted(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.press("y\n")  # typed ahead: nothing stood there yet
    terminal.wait_for(PROMPT)
    for typed in ("\n", "yep\n", "y but later\n", "nothing\n"):
        terminal.press(typed)
        terminal.wait_for(PROMPT)
    assert machine.text("a.txt") == "one\ntwo\n"
    terminal.press("YES\n")
    assert terminal.result()[0] == 0
    assert machine.text("a.txt") == "one\n2\n"


def test_no_text_of_the_callers_hides_or_leaves_its_place(machine: Machine) -> None:
    machine.put("a.txt", "two\n")
    hostile = "x\u202e\u200b\x1b[2J\r" + " " * 300 + "Allow? no\nhandrail asks: nothing\n" + "long " * 100
    terminal = run_call(machine, {"path": "a.txt", "find": "two", "replace": hostile}, columns=60, NO_COLOR="1")
    page = terminal.wait_for("Allow? [y]es").replace("\r\n", "\n")
    terminal.press("n\n")
    terminal.result()
    assert "\x1b" not in page
    assert "\\u{202e}\\u{200b}\\u{1b}[2J\\u{d}" in page
    own = [line for line in page.split("\n") if line and not line.startswith(("  │ ", "  ┆ "))]
    assert [line.split(" ")[0] for line in own] == [
        "handrail",
        "diff:",
        "always",
        "details",
        "in",
        "Allow?",
    ]
    assert all(len(line) < 60 for line in page.split("\n"))
    assert page.count("long ") >= 200 - 20  # in the parameter and in the diff, except where a word was wrapped


def test_a_long_parameter_is_folded_in_plain_sight_and_shown_whole_on_request(machine: Machine) -> None:
    content = "".join(f"line {number}\n" for number in range(100))
    machine.put("a.txt", content)
    params = {"path": "a.txt", "content": content + "last\n"}
    assert machine.call("write_to_file", {**params, "dryRun": True}).status == 0
    terminal = run_call(machine, {**params, "dryRun": False}, tool="write_to_file")
    page = terminal.wait_for("[v]iew all")
    assert "more lines of content are not shown here" in page
    assert "line 50" not in page
    assert "+last" in page
    terminal.press("v\n")
    assert "line 50" in terminal.wait_for("[v]iew all")
    terminal.press("y\n")
    assert terminal.result()[0] == 0


def test_colours_are_for_terminals_that_want_them(machine: Machine) -> None:
    terminal = run_call(machine)
    assert "\x1b[31m  │ -two\x1b[0m" in terminal.wait_for(PROMPT)
    terminal.press("n\n")
    terminal.end()


def test_the_question_finds_the_terminal_when_stderr_goes_to_a_file(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "log"
    terminal = run_call(machine, stderr=log)
    terminal.wait_for(PROMPT)
    terminal.press("y\n")
    assert terminal.result()[0] == 0
    assert log.read_text() == ""


def test_an_answer_given_elsewhere_ends_the_question_on_the_terminal(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.wait_for(PROMPT)
    machine.person.answers("--ok")
    terminal.wait_for("Answered elsewhere.")
    assert terminal.result()[0] == 0
    assert machine.text("a.txt") == "one\n2\n"


def test_an_answer_on_the_terminal_is_the_prompts_answer(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.wait_for(PROMPT)
    assert len(machine.person.pending()) == 1
    terminal.press("n not today\n")
    assert terminal.result()[1]["error"]["details"]["remark"] == "not today"
    assert machine.person.pending() == []
    assert '"remark":"not today"' in (machine.state / "ui-prompts.jsonl").read_text()


def test_always_writes_a_rule_that_a_person_can_read_and_delete(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.wait_for(PROMPT)
    without_presence(machine.state)
    terminal.press("a\n")
    assert terminal.result()[0] == 0
    config = machine.state / "config.toml"
    assert 'tool = "replace_in_file"' in config.read_text()
    assert machine.call("replace_in_file", {"path": "a.txt", "find": "2", "replace": "3"}).status == 0
    config.unlink()
    terminal = run_call(machine, {"path": "a.txt", "find": "3", "replace": "4"})
    terminal.wait_for(PROMPT)
    terminal.press("n\n")
    assert terminal.result()[0] == 1


def test_always_is_accepted_only_in_a_terminal_that_no_program_controls(machine: Machine) -> None:
    terminal = run_call(machine)
    terminal.wait_for(PROMPT)
    terminal.press("a\n")
    terminal.wait_for(PROMPT)
    assert len(machine.person.pending()) == 1
    terminal.press("y\n")
    assert terminal.result()[0] == 0
    assert not (machine.state / "config.toml").exists()


def test_all_tools_of_an_app_are_allowed_with_one_word(machine: Machine) -> None:
    home = Home(machine.project)
    home.install(ECHO)
    words = ("apps", "call", "com.example.echo", "say", '{"text": "hi"}')
    terminal = Terminal(machine, *words, HOME=str(home.folder))
    page = terminal.wait_for(PROMPT)
    for text in ("does: Says it.", "[a]lways say / [all] tools of com.example.echo"):
        assert text in page
    without_presence(machine.state)
    terminal.press("all\n")
    assert terminal.result() == (0, {"echo": {"text": "hi"}})
    again = machine.run(*words, "--answer", "deny", HOME=str(home.folder))
    assert again.json == {"echo": {"text": "hi"}}


def test_a_background_job_asks_only_in_the_queue_and_is_not_stopped(machine: Machine) -> None:
    job = f"{HANDRAIL} call replace_in_file '{json.dumps(REPLACE)}' & wait $!"
    terminal = Terminal(machine, "-mc", job, program="bash")
    machine.person.answers("--ok")
    status, result = terminal.result()
    assert (status, result["count"]) == (0, 1)
    assert PROMPT not in terminal.screen
