"""The user's rules: edits apply at once, and rules added by an approval can be read and deleted."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from handrail.kernel.settings import Settings, load_one
from handrail.ports.policy import Decision, Rule
from handrail.ports.settings import BrokenSettings
from handrail.stores.local.config_file import allow, remove_rule
from handrail.stores.local.config_file import rules as known


def rules(state: Path) -> Sequence[Rule]:
    return load_one(Settings, state, environ={}).rules


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert rules(tmp_path) == ()


def test_edits_of_the_file_apply_at_once(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('port = 7000\n[[rules]]\ntool = "read_file"\ndecision = "deny"\n')
    assert [rule.verdict for rule in rules(tmp_path)] == [Decision.DENY]
    config.unlink()
    assert rules(tmp_path) == ()


async def test_a_rule_is_added_after_the_persons_own_text(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# mine\nport = 7000")
    value = Rule("allow", tool="write_to_file", path='a "b"\\\u202e\x7f/ü🙂.txt', project="/srv/shop", below=False)
    await allow(tmp_path, "added by an approval", value)
    assert rules(tmp_path) == (value,)
    assert config.read_text().startswith("# mine\nport = 7000\n# added by an approval\n[[rules]]\n")
    assert config.stat().st_mode & 0o777 == 0o644


def test_a_file_that_became_invalid_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[[rules]\n")
    with pytest.raises(BrokenSettings, match=r"config\.toml"):
        rules(tmp_path)


async def test_removing_a_rule_removes_only_it_and_its_comment(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    mine = '# mine\nport = 7000\n\n# keep this\n[[rules]]\ntool = "read_file"\ndecision = "deny"\n'
    config.write_text(mine)
    value = Rule("allow", tool="write_to_file", path="a", until="2026-11-30")
    await allow(tmp_path, "added by an approval", value)
    assert len(known(tmp_path)) == 2
    assert remove_rule(tmp_path, value)
    assert config.read_text() == mine
    assert not remove_rule(tmp_path, value)


def test_a_rule_between_others_is_removed(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    blocks = [f'[[rules]]\ntool = "{name}"\ndecision = "deny"\n' for name in "abc"]
    config.write_text("\n".join(blocks))
    assert remove_rule(tmp_path, Rule("deny", tool="b"))
    assert [rule.tool for rule in known(tmp_path)] == ["a", "c"]


def test_rules_in_an_unusual_notation_are_not_edited(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('rules = [{tool = "a", decision = "deny"}]\n')
    with pytest.raises(BrokenSettings, match="by hand"):
        remove_rule(tmp_path, Rule("deny", tool="a"))
    assert [rule.tool for rule in known(tmp_path)] == ["a"]


def test_toml_dates_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[[rules]]\ntool = "a"\nuntil = 2026-11-30\ndecision = "allow"\n')
    assert [rule.until for rule in rules(tmp_path)] == ["2026-11-30"]
    assert [rule.until for rule in known(tmp_path)] == ["2026-11-30"]
