"""`handrail audit`: shows the record, and verifies that it was not changed."""

from tests.faces.cli.machine import Machine


def test_calls_are_shown_newest_first(machine: Machine) -> None:
    assert machine.run("audit").out == "Nothing was recorded yet.\n"
    machine.call("read_file", {"path": "a.txt"})
    machine.call("read_file", {"path": "b.txt"})
    result = machine.run("audit", "show").out.splitlines()
    assert ["b.txt" in result[0], "NotFound" in result[0]] == [True, True]
    assert ["a.txt" in result[1], result[1].endswith("ok")] == [True, True]
    (newest,) = machine.run("audit", "--json", "--limit", "1").json["entries"]
    assert (newest["seq"], newest["target"]) == (2, "b.txt")


def test_a_refused_parameter_is_named_to_the_caller_and_not_in_the_record(machine: Machine) -> None:
    result = machine.call("read_file", {"path": "a.txt", "maxBytes": "hunter2"})
    assert "hunter2" in result.out
    assert machine.run("undo", "hunter2").status == 1
    assert "hunter2" not in (machine.state / "audit" / "log.jsonl").read_text()
    assert [line.endswith("InvalidParams") for line in machine.run("audit").out.splitlines()] == [True, True]
    assert machine.run("history").out.endswith("\n    InvalidParams\n")


def test_verify_counts_an_intact_record_and_names_line_and_reason_of_a_changed_one(machine: Machine) -> None:
    for _ in range(3):
        machine.call("read_file", {"path": "a.txt"})
    intact = machine.run("audit", "verify")
    assert intact.status == 0
    assert intact.out.splitlines() == [
        "3 records, all as they were written.",
        "3 of them are signed by 3 checkpoints.",
        "0 files of evidence, all as they were written.",
    ]

    log = machine.state / "audit" / "log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + lines[1].replace(b"a.txt", b"b.txt") + lines[2])
    changed = machine.run("audit", "verify")
    assert (changed.status, changed.out) == (1, "")
    assert "line 2: it was changed" in changed.err
    result = machine.run("audit", "verify", "--json")
    assert (result.status, result.json["ok"], result.json["line"]) == (1, False, 2)

    log.write_bytes(lines[0] + lines[1])
    assert machine.run("audit", "verify").status == 1


def test_another_action_is_wrong_usage(machine: Machine) -> None:
    refused = machine.run("audit", "forget")
    assert (refused.status, refused.out) == (2, "")
    assert "show, verify" in refused.err
