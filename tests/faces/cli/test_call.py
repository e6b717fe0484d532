"""`handrail call`: exactly one JSON text on stdout, and an exit status that scripts can use."""

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.faces.cli.machine import HANDRAIL, Machine
from tests.faces.cli.terminal import PATIENCE, PROMPT, Terminal

REPLACE = {"path": "a.txt", "find": "two", "replace": "2"}


def test_a_result_is_bare_json_and_exit_0(machine: Machine) -> None:
    read = machine.call("read_file", {"path": "a.txt"})
    assert (read.status, read.err) == (0, "")
    assert read.json == {"path": "a.txt", "content": "one\ntwo\n", "encoding": "utf-8", "bytes": 8}
    info = machine.call("get_runtime_info")  # without parameters: {}
    assert info.json["projectRoot"] == str(machine.project)
    assert machine.call("read_file", None, "-", stdin=b'{"path":"a.txt"}').json == read.json


def test_a_result_on_a_terminal_is_json_that_can_not_control_it(machine: Machine) -> None:
    content = "safe\x9b2J\u202etxt \U000e0041 欢迎\n"
    (machine.project / "hostile.txt").write_text(content)
    words = ["call", "read_file", '{"path":"hostile.txt"}', "--project", str(machine.project)]
    shown = Terminal(machine, *words, "--state", str(machine.state), stdout_is_terminal=True).wait_for("\n}")
    assert r"safe\u009b2J\u202etxt \udb40\udc41 欢迎" in shown
    assert json.loads(shown)["content"] == content
    assert machine.call("read_file", {"path": "hostile.txt"}).json["content"] == content


def test_exported_records_on_a_terminal_can_not_control_it(machine: Machine) -> None:
    """A record has the name of the file, which an agent chooses."""
    (machine.project / "hostile\x9b2J\u202e.txt").write_text("one\n")
    machine.call("read_file", {"path": "hostile\x9b2J\u202e.txt"})
    words = ["audit", "export", "--state", str(machine.state)]
    shown = Terminal(machine, *words, stdout_is_terminal=True).wait_for('"}')
    assert (r"hostile\u009b2J\u202e.txt" in shown, "\x9b" in shown, "\u202e" in shown) == (True, False, False)


def test_a_failure_is_the_contracts_error_and_exit_1(machine: Machine) -> None:
    for params, code in (
        ({"path": "missing.txt"}, "E_NOT_FOUND"),
        ({"path": "../escape.txt"}, "E_DENY_PATH"),
        ({"path": "a.txt", "unknown": 1}, "E_BAD_ARGS"),
        ([1], "E_BAD_ARGS"),
    ):
        failed = machine.call("read_file", params)
        assert (failed.status, failed.code, failed.err) == (1, code, "")
        assert failed.json["error"]["message"]


@pytest.mark.parametrize(
    "text",
    [
        '{"path":"a.txt","path":"b.txt"}',
        '{"path":"a.txt","maxBytes":NaN}',
        '{"path":"a.txt","maxBytes":9007199254740993}',
        '{"path":"\\ud800"}',
    ],
)
def test_json_that_readers_disagree_on_is_refused(machine: Machine, text: str) -> None:
    refused = machine.run("call", "read_file", text)
    assert (refused.status, refused.code) == (1, "E_BAD_ARGS")


def test_too_deep_and_too_long_input_is_refused_before_it_is_parsed(machine: Machine) -> None:
    deep = machine.call("read_file", None, "-", stdin=b'{"path":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    assert (deep.status, deep.code) == (1, "E_BAD_ARGS")
    long = machine.call("read_file", None, "-", stdin=b'{"path":"' + b"x" * 100_000_000 + b'"}')
    assert (long.status, long.code) == (1, "E_TOO_LARGE")


def test_wrong_usage_is_exit_2_with_nothing_on_stdout(machine: Machine) -> None:
    for words, message in (
        (("call", "read_fil", "{}"), "read_file"),
        (("call", "read_file", "{path: 1}"), "not JSON"),
        (("call", "read_file", ""), "not JSON"),
        (("call", "undo_write", "{}"), "handrail undo"),
        (("call",), "NAME"),
        (("call", "read_file", "--timeout", "0"), "--timeout"),
        (("call", "read_file", "--answer", "perhaps"), "ask, allow, deny"),
        (("frobnicate",), "frobnicate"),
    ):
        refused = machine.run(*words)
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
    assert not machine.state.exists()


def test_without_a_terminal_the_call_waits_for_an_answer_in_the_queue(machine: Machine) -> None:
    waiting = machine.start("call", "replace_in_file", json.dumps(REPLACE))
    question = machine.person.answers("--cancel", "--remark", "not now")
    out, err = waiting.communicate(timeout=PATIENCE)
    error = json.loads(out)["error"]
    assert (waiting.returncode, error["code"], error["details"]["remark"]) == (1, "E_POLICY_VIOLATION", "not now")
    assert f"handrail prompts show {question['requestId']}" in err
    assert machine.text("a.txt") == "one\ntwo\n"
    waiting = machine.start("call", "replace_in_file", json.dumps(REPLACE))
    machine.person.answers("--ok")
    out, _ = waiting.communicate(timeout=PATIENCE)
    assert (waiting.returncode, json.loads(out)["count"]) == (0, 1)
    assert machine.text("a.txt") == "one\n2\n"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_call_that_is_stopped_withdraws_its_prompt(machine: Machine, stop: signal.Signals) -> None:
    waiting = machine.start("call", "replace_in_file", json.dumps(REPLACE))
    machine.person.sees()
    waiting.send_signal(stop)
    out, _ = waiting.communicate(timeout=PATIENCE)
    assert (waiting.returncode, out) == (128 + stop, "")
    assert machine.person.pending() == []
    assert machine.text("a.txt") == "one\ntwo\n"


def test_answers_can_be_preset(machine: Machine) -> None:
    denied = machine.call("replace_in_file", REPLACE, "--answer", "deny")
    assert (denied.status, denied.code) == (1, "E_POLICY_VIOLATION")
    assert machine.text("a.txt") == "one\ntwo\n"
    allowed = machine.call("replace_in_file", REPLACE, "--answer", "allow")
    assert (allowed.json["count"], allowed.err) == (1, ""), "nobody is asked, so nothing says that it waits"
    assert machine.text("a.txt") == "one\n2\n"


def test_with_json_from_stdin_questions_go_to_the_queue_even_at_a_terminal(machine: Machine) -> None:
    terminal = Terminal(machine, "call", "replace_in_file", "-")
    terminal.press(json.dumps(REPLACE) + "\n\x04")
    machine.person.answers("--ok")
    assert terminal.result()[0] == 0
    assert PROMPT not in terminal.screen


def test_a_preset_allow_does_not_overrule_a_deny_of_the_policy(machine: Machine) -> None:
    machine.put(".handrail/policy.json", '{"rules": [{"tool": "replace_in_file", "decision": "deny"}]}')
    denied = machine.call("replace_in_file", REPLACE, "--answer", "allow")
    assert (denied.code, denied.json["error"]["details"]["reason"]) == ("E_POLICY_VIOLATION", "policy")


def test_a_project_that_is_missing_or_has_a_broken_policy_is_an_error_in_json_too(machine: Machine) -> None:
    missing = machine.call("read_file", {"path": "a.txt"}, "--project", "nowhere")
    assert (missing.status, missing.code) == (1, "E_NOT_FOUND")
    machine.put(".handrail/policy.json", '{\n  "mode": "cline",\n  "polices": {}\n}')
    broken = machine.call("read_file", {"path": "a.txt"})
    assert (broken.status, broken.code) == (1, "E_POLICY_VIOLATION")
    assert "policy.json, line 3" in broken.json["error"]["message"]


def test_a_custom_timeout_ends_the_call(machine: Machine) -> None:
    # The search runs in another process, which takes longer to start than this.
    late = machine.call("search_files", {"path": ".", "regex": "o"}, "--timeout", "1")
    assert (late.status, late.code) == (1, "E_TIMEOUT")


def test_a_terminated_call_leaves_a_record_and_no_change(machine: Machine) -> None:
    terminal = Terminal(machine, "call", "replace_in_file", '{"path":"a.txt","find":"two","replace":"2"}')
    terminal.wait_for(PROMPT)
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.end() == (128 + signal.SIGTERM, b"")
    assert machine.text("a.txt") == "one\ntwo\n"
    (entry,) = machine.run("history", "--json").json["history"]
    assert entry["error"]["condition"] == "Aborted"


def test_task_and_caller_are_recorded(machine: Machine) -> None:
    machine.call("read_file", {"path": "a.txt"}, "--task", "t-1")
    (entry,) = machine.run("audit", "--json").json["entries"]
    assert entry["task"] == "t-1"
    assert entry["caller"].startswith("cli:")
    assert entry["caller"].endswith(f":uid:{os.getuid()}")


def test_a_closed_output_pipe_does_not_crash_the_command(machine: Machine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [HANDRAIL, "tools", "--json"], stdout=writing, stderr=subprocess.PIPE, env=machine.environ(), timeout=60
    )
    os.close(writing)
    assert b"Traceback" not in result.stderr


def test_parallel_calls_from_many_processes_all_count(machine: Machine, tmp_path: Path) -> None:
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(machine.call("read_file", {"path": "a.txt"}).status))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0] * 6
    output = json.loads(machine.run("audit", "verify", "--json").out)
    assert (output["ok"], output["count"], output["faults"]) == (True, 6, [])
