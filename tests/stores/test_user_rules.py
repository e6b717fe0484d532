"""The user's rules: a person's edit counts at once, and what a yes adds can be read and deleted."""

from pathlib import Path

import pytest

from handrail.ports.policy import Decision
from handrail.ports.settings import BrokenSettings
from handrail.stores.local.user_rules import UserRules


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert UserRules(tmp_path).current() == ()


def test_an_edit_counts_at_once_and_so_does_its_removal(tmp_path: Path) -> None:
    rules = UserRules(tmp_path)
    config = tmp_path / "config.toml"
    config.write_text('port = 7000\n[[rules]]\ntool = "read_file"\ndecision = "deny"\n')
    assert [rule.verdict for rule in rules.current()] == [Decision.DENY]
    config.unlink()
    assert rules.current() == ()


async def test_a_rule_is_added_behind_what_the_person_wrote(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# mine\nport = 7000")
    rules = UserRules(tmp_path)
    await rules.allow("added by an approval", tool="write_to_file", path='a "b"\\\u202e/ü.txt')
    (rule,) = rules.current()
    assert (rule.tool, rule.path, rule.verdict) == ("write_to_file", 'a "b"\\\u202e/ü.txt', Decision.ALLOW)
    assert config.read_text().startswith("# mine\nport = 7000\n# added by an approval\n[[rules]]\n")
    assert config.stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_broken_meanwhile_is_named(tmp_path: Path) -> None:
    rules = UserRules(tmp_path)
    (tmp_path / "config.toml").write_text("[[rules]\n")
    with pytest.raises(BrokenSettings, match=r"config\.toml"):
        rules.current()
