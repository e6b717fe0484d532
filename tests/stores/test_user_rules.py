"""The user's rules: a person's edit counts at once, and what a yes adds can be read and deleted."""

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


def test_an_edit_counts_at_once_and_so_does_its_removal(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('port = 7000\n[[rules]]\ntool = "read_file"\ndecision = "deny"\n')
    assert [rule.verdict for rule in rules(tmp_path)] == [Decision.DENY]
    config.unlink()
    assert rules(tmp_path) == ()


async def test_a_rule_is_added_behind_what_the_person_wrote(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# mine\nport = 7000")
    value = Rule("allow", tool="write_to_file", path='a "b"\\\u202e\x7f/ü🙂.txt', project="/srv/shop", below=False)
    await allow(tmp_path, "added by an approval", value)
    assert rules(tmp_path) == (value,)
    assert config.read_text().startswith("# mine\nport = 7000\n# added by an approval\n[[rules]]\n")
    assert config.stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_broken_meanwhile_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[[rules]\n")
    with pytest.raises(BrokenSettings, match=r"config\.toml"):
        rules(tmp_path)


async def test_a_rule_is_removed_with_its_remark_and_nothing_else(tmp_path: Path) -> None:
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


def test_what_is_written_in_an_unusual_way_is_left_to_the_person(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('rules = [{tool = "a", decision = "deny"}]\n')
    with pytest.raises(BrokenSettings, match="by hand"):
        remove_rule(tmp_path, Rule("deny", tool="a"))
    assert [rule.tool for rule in known(tmp_path)] == ["a"]


def test_toml_has_dates_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[[rules]]\ntool = "a"\nuntil = 2026-11-30\ndecision = "allow"\n')
    assert [rule.until for rule in rules(tmp_path)] == ["2026-11-30"]
    assert [rule.until for rule in known(tmp_path)] == ["2026-11-30"]
