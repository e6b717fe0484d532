"""Settings: their sources and order, and that unreadable ones stop the program."""

from pathlib import Path

import pytest

from handrail.kernel.settings import Settings, load
from handrail.ports.policy import Decision
from handrail.ports.settings import BrokenSettings


def config(state: Path, text: str) -> Path:
    state.mkdir(exist_ok=True)
    file = state / "config.toml"
    file.write_text(text)
    return file


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path, {}, {}).common == Settings()


def test_flags_come_before_variables_and_variables_before_the_file(tmp_path: Path) -> None:
    config(tmp_path, 'port = 1\nhost = "::1"\nevidence_max_days = 3\n')
    environ = {"HANDRAIL_PORT": "2", "HANDRAIL_EVIDENCE_MAX_DAYS": "4", "HANDRAIL_OPEN_CONSOLE": "false"}
    settings = load(tmp_path, {"port": 3, "host": None}, environ).common
    assert (settings.port, settings.host) == (3, "::1")
    assert (settings.evidence_max_days, settings.open_console) == (4, False)


def test_rules_come_only_from_the_file(tmp_path: Path) -> None:
    config(tmp_path, '[[rules]]\ntool = "write_*"\npath = "a/**"\ndecision = "allow"\n')
    (rule,) = load(tmp_path, {}, {"HANDRAIL_RULES": "[]"}).common.rules
    assert (rule.tool, rule.path, rule.verdict) == ("write_*", "a/**", Decision.ALLOW)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("port = \n", "line 1"),
        ("prot = 1", "did you mean `port`?"),
        ('port = "many"', "port"),
        ("port = 70000", "port"),
        ("port = -1", "port"),
        ('[[rules]]\ndecision = "allow"\n', "a tool, an effect or a server"),
        ('[[rules]]\ntool = "x"\ndecision = "perhaps"\n', "decision"),
        ('[[rules]]\ntool = "x"\ndescision = "ask"\n', "did you mean `decision`?"),
        ('[[rules]]\ntool = "x"\npath = "[z-a]"\ndecision = "deny"\n', "rule 1: `path`"),
    ],
)
def test_errors_of_unreadable_settings_name_the_file_and_the_problem(tmp_path: Path, text: str, word: str) -> None:
    file = config(tmp_path, text)
    with pytest.raises(BrokenSettings) as caught:
        load(tmp_path, {}, {})
    assert str(file) in caught.value.message
    assert word in caught.value.message
    assert "Correct the file" in (caught.value.hint or "")


def test_a_variable_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrokenSettings, match="port"):
        load(tmp_path, {}, {"HANDRAIL_PORT": "many"})
