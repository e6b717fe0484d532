"""The user's rules: a person's edit counts at once, and what a yes adds can be read and deleted."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from handrail.kernel.settings import Settings, load_one
from handrail.ports.policy import Decision, Rule
from handrail.ports.settings import BrokenSettings
from handrail.stores.local.config_file import allow


def rules(state: Path) -> Sequence[Rule]:
    return load_one(Settings, state, environ={}).rules


def test_without_a_file_there_are_none(tmp_path: Path) -> None:
    assert rules(tmp_path) == ()


def test_an_edit_counts_at_once_and_so_does_its_removal(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('port = 7000\n[[rules]]\ntool = "read_file"\ndecision = "deny"\n')
    assert [rule.verdict for rule in rules(tmp_path)] == [Decision.DENY]
    config.unlink()
    assert rules(tmp_path) == ()


async def test_a_rule_is_added_behind_what_the_person_wrote(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# mine\nport = 7000")
    await allow(tmp_path, "added by an approval", tool="write_to_file", path='a "b"\\\u202e/ü.txt')
    (rule,) = rules(tmp_path)
    assert (rule.tool, rule.path, rule.verdict) == ("write_to_file", 'a "b"\\\u202e/ü.txt', Decision.ALLOW)
    assert config.read_text().startswith("# mine\nport = 7000\n# added by an approval\n[[rules]]\n")
    assert config.stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_broken_meanwhile_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[[rules]\n")
    with pytest.raises(BrokenSettings, match=r"config\.toml"):
        rules(tmp_path)
