"""`handrail policy`: shows the rules in force; trust lets a project's file loosen them."""

import json

from tests.faces.cli.machine import Machine
from tests.faces.cli.terminal import Terminal
from tests.persons import without_presence

POLICY = {
    "policies": {"maxReadBytes": 3, "batchMaxLines": 100000, "forbiddenDirs": ["secrets"]},
    "rules": [{"tool": "replace_in_file", "decision": "allow"}],
}
REPLACE = {"path": "a.txt", "find": "two", "replace": "2"}


def test_without_a_file_the_defaults_are_shown(machine: Machine) -> None:
    summary = machine.run("policy", "--json").json
    assert summary["path"] == str(machine.project / ".handrail" / "policy.json")
    assert (summary["exists"], summary["trusted"], summary["rules"]) == (False, False, [])
    assert summary["defaults"] == {
        "READ": "allow",
        "WRITE": "ask",
        "UI_CONTROL": "ask",
        "EXECUTE": "ask",
        "PROCESS_CONTROL": "allow",
        "ASK": "allow",
    }
    assert summary["policies"]["maxReadBytes"] == 5242880
    result = machine.run("policy").out
    assert "the defaults apply" in result
    assert machine.run("policy", "trust").status == 1


def test_a_rule_is_shown_with_everything_that_narrows_it(machine: Machine) -> None:
    machine.run("policy")  # creates the state directory
    rule = '[[rules]]\ndecision = "allow"\neffect = "EXECUTE"\ncommand = "make check"\n'
    (machine.state / "config.toml").write_text(rule)
    assert "effect EXECUTE, command make check" in machine.run("policy").out


def test_an_untrusted_policy_only_tightens_and_a_trusted_one_applies_until_it_is_edited(machine: Machine) -> None:
    file = machine.put(".handrail/policy.json", json.dumps(POLICY, indent=2))
    untrusted = machine.run("policy", "--json").json
    assert (untrusted["exists"], untrusted["trusted"]) == (True, False)
    assert (untrusted["policies"]["maxReadBytes"], untrusted["policies"]["batchMaxLines"]) == (3, 2000)
    assert untrusted["rules"] == [{"tool": "replace_in_file", "decision": "ask", "from": "project rule, not trusted"}]
    asking = machine.start("call", "replace_in_file", json.dumps(REPLACE))
    machine.person.answers("--cancel")
    assert asking.wait(timeout=30) == 1

    unasked = machine.run("policy", "trust")
    in_a_pipe = machine.run("policy", "trust", "--answer", "allow")
    assert (in_a_pipe.status, "proof that a person is present" in in_a_pipe.err) == (1, True)
    without_presence(machine.state)
    assert (unasked.status, "--answer allow" in unasked.err, '"maxReadBytes": 3' in unasked.err) == (1, True, True)
    trusted = machine.run("policy", "trust", "--answer", "allow", "--json").json
    assert (trusted["trusted"], trusted["policies"]["batchMaxLines"]) == (True, 100000)
    assert trusted["rules"][0]["decision"] == "allow"
    assert machine.call("replace_in_file", REPLACE).status == 0

    file.write_text(json.dumps(POLICY))
    assert machine.run("policy", "--json").json["trusted"] is False
    file.write_text(json.dumps(POLICY, indent=2))
    assert "not trusted" in machine.run("policy", "distrust").out


def test_a_person_reads_the_file_before_trusting_it(machine: Machine) -> None:
    machine.put(".handrail/policy.json", json.dumps(POLICY, indent=2))
    without_presence(machine.state)
    for typed, is_trusted in (("n\n", False), ("y\n", True)):
        terminal = Terminal(machine, "policy", "trust")
        page = terminal.wait_for("[y]es / [n]o:")
        assert '  │   "policies": {' in page
        terminal.press(typed)
        assert terminal.end()[0] == (0 if is_trusted else 1)
        assert machine.run("policy", "--json").json["trusted"] is is_trusted


def test_the_users_own_rules_come_from_the_configuration(machine: Machine) -> None:
    machine.state.mkdir(mode=0o700)
    (machine.state / "config.toml").write_text('[[rules]]\neffect = "WRITE"\npath = "a.txt"\ndecision = "allow"\n')
    assert "allow  effect WRITE, path a.txt  user rule" in machine.run("policy").out
    assert machine.call("replace_in_file", REPLACE).status == 0


def test_a_broken_policy_or_configuration_stops_every_command_with_its_place(machine: Machine) -> None:
    machine.put(".handrail/policy.json", '{\n  "mode": "anarchy"\n}')
    for words in (("policy",), ("history",), ("undo",), ("mcp",), ("up", "--port", "0")):
        stopped = machine.run(*words)
        assert (stopped.status, stopped.out) == (1, "")
        assert stopped.err.startswith("handrail: ")
        assert "policy.json, line 2" in stopped.err
        assert "Traceback" not in stopped.err
    (machine.state / "config.toml").write_text("port = 1\nport = 2\n")
    stopped = machine.run("policy")
    assert stopped.status == 1
    assert "config.toml" in stopped.err
    assert "line 2" in stopped.err
