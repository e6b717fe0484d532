"""`handrail history` shows changes, and `handrail undo` undoes them."""

import re
from typing import Any

import pytest

from handrail.kernel.audit import Audit
from handrail.wiring import Wiring
from tests.faces.cli.machine import Machine


def history(machine: Machine) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = machine.run("history", "--json").json["history"]
    return entries


def test_undo_after_undo_goes_further_back_and_history_says_so(machine: Machine) -> None:
    first = machine.write("a.txt", "1\n")
    second = machine.write("made.txt", "2\n")

    undone = machine.run("undo")
    assert undone.status == 0
    assert "made.txt removed" in undone.out
    assert not (machine.project / "made.txt").exists()
    taken_back = machine.run("undo", "--json").json
    assert (taken_back["path"], taken_back["undone"]) == ("a.txt", first)
    assert machine.text("a.txt") == "one\ntwo\n"

    entries = history(machine)
    assert [(entry["tool"], entry["target"], entry.get("undone")) for entry in entries] == [
        ("undo_write", "a.txt", False),
        ("undo_write", "made.txt", False),
        ("write_to_file", "made.txt", True),
        ("write_to_file", "a.txt", True),
    ]
    assert [entry.get("undoes") for entry in entries[:2]] == [first, second]
    assert machine.run("undo").err.startswith("handrail: Nothing to undo.")


def test_undoing_a_new_folder_says_that_it_is_gone_and_redoing_that_it_is_back(machine: Machine) -> None:
    assert machine.run("call", "make_folder", '{"path": "made"}', "--answer", "allow").status == 0
    undone = machine.run("undo").out
    assert "Undone: made removed" in undone
    assert not (machine.project / "made").exists()
    again = undone.rpartition("handrail undo ")[2].strip()
    assert "Undone: made restored" in machine.run("undo", again).out
    assert (machine.project / "made").is_dir()


@pytest.mark.parametrize("words", [(), ("--task", "again"), ("--to", "1h"), ("execution",)])
def test_a_change_that_was_made_again_can_be_undone_again(machine: Machine, words: tuple[str, ...]) -> None:
    edit = '{"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}'
    assert machine.run("call", "edit_file", edit, "--task", "again", "--answer", "allow").status == 0
    (entry,) = history(machine)
    redo = machine.run("undo").out.rpartition("handrail undo ")[2].strip()
    assert machine.run("undo", redo).status == 0
    assert machine.text("a.txt") == "1\ntwo\n"
    undone = machine.run("undo", *([entry["executionId"]] if words == ("execution",) else words), "--answer", "allow")
    assert undone.status == 0, undone.err
    assert machine.text("a.txt") == "one\ntwo\n"
    assert machine.run("undo").err.startswith("handrail: Nothing to undo.")


def test_a_write_can_be_undone_by_snapshot_or_execution_only_while_it_is_current(machine: Machine) -> None:
    machine.write("a.txt", "1\n")
    (entry,) = history(machine)
    assert {"time", "status", "tool", "target", "caller", "decision", "executionId", "snapshotId"} <= set(entry)
    assert entry["answer"] == {"status": "ok", "by": "--answer allow"}

    machine.put("a.txt", "a person's edit\n")
    late = machine.run("undo", entry["snapshotId"])
    assert (late.status, late.out) == (1, "")
    assert "was changed after that" in late.err
    assert machine.text("a.txt") == "a person's edit\n"

    machine.put("a.txt", "1\n")
    assert machine.run("undo", entry["executionId"]).status == 0
    assert machine.text("a.txt") == "one\ntwo\n"
    assert machine.run("undo", "nonsense").status == 1


def test_a_change_that_is_already_undone_is_called_that(machine: Machine) -> None:
    snapshot = machine.write("a.txt", "1\n")
    (entry,) = history(machine)
    machine.run("undo", snapshot)
    assert "already undone" in machine.run("undo", entry["executionId"]).err
    again = machine.run("undo", snapshot)
    assert (again.status, again.out) == (1, "")
    assert again.err.startswith("handrail: a.txt: this change is already undone.")
    assert "later" not in again.err
    redo = re.search(r"handrail undo (snap_\w+)", again.err)
    assert redo is not None
    assert machine.run("undo", redo[1]).status == 0
    assert machine.text("a.txt") == "1\n"
    assert machine.run("undo", snapshot).status == 0
    assert "already undone" in machine.run("undo", snapshot).err


def test_an_undo_needs_no_approval_unless_the_answer_is_preset_and_the_record_says_which(machine: Machine) -> None:
    for _ in range(2):
        machine.write("a.txt", machine.text("a.txt") + "more\n")
    denied = machine.run("undo", "--answer", "deny")
    assert (denied.status, denied.out) == (1, "")
    assert denied.err.startswith("handrail: undo_write was denied by --answer deny.")
    assert machine.text("a.txt") == "one\ntwo\nmore\nmore\n"

    assert machine.run("undo").status == 0
    assert machine.run("undo", "--answer", "allow").status == 0
    assert machine.text("a.txt") == "one\ntwo\n"
    assert [(entry["status"], entry["answer"]) for entry in history(machine)[:3]] == [
        ("done", {"status": "ok", "by": "--answer allow"}),
        ("done", {"status": "ok", "by": "own command"}),
        ("denied", {"status": "canceled", "by": "--answer deny"}),
    ]
    assert "allowed by own command" in machine.run("history").out


def test_a_rule_that_denies_stops_an_undo_too(machine: Machine) -> None:
    machine.write("a.txt", "1\n")
    machine.put(".handrail/policy.json", '{"rules": [{"tool": "undo_write", "decision": "deny"}]}')
    assert "The policy denies undo_write" in machine.run("undo", "--answer", "allow").err
    assert machine.text("a.txt") == "1\n"


def test_history_is_the_projects_own_newest_first_and_without_reads(machine: Machine) -> None:
    assert machine.run("history").out == "Nothing was changed through handrail in this project yet.\n"
    machine.write("a.txt", "1\n")
    machine.write("a.txt", "2\n")
    machine.call("replace_in_file", {"path": "a.txt", "find": "2", "replace": "3"}, "--answer", "deny")
    result = machine.run("history").out
    assert result.index("denied") < result.index("done")
    assert "denied by --answer deny" in result
    assert "read_file" not in result
    assert [entry["status"] for entry in history(machine)] == ["denied", "done", "done"]
    assert len(machine.run("history", "--json", "--limit", "1").json["history"]) == 1

    other = machine.project.parent / "other"
    other.mkdir()
    assert machine.run("history", "--json", "--project", str(other)).json == {"history": []}


def test_a_call_that_never_ended_is_shown_as_interrupted_and_hostile_names_as_escapes(machine: Machine) -> None:
    audit = Audit(Wiring().open_stores(machine.state).audit)
    record = {"executionId": "exec_1", "tool": "write_to_file", "effect": "WRITE", "project": str(machine.project)}
    audit.append({"event": "begin", "caller": "mcp:\x1b[2Jevil:uid:0", "target": "a\u202e.txt", **record}, durable=True)
    audit.close()
    assert [entry["status"] for entry in history(machine)] == ["interrupted"]
    result = machine.run("history").out
    assert "interrupted" in result
    assert "a\\u{202e}.txt" in result
    assert "\x1b" not in result


def test_undoing_a_task_that_changed_nothing_names_the_task(machine: Machine) -> None:
    machine.write("a.txt", "three\n")
    result = machine.run("undo", "--task", "fix-login", "--answer", "allow")
    assert result.status == 1
    assert result.err.startswith("handrail: There are no changes by task 'fix-login' to undo.")
