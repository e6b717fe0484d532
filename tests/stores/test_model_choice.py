import tomllib
from pathlib import Path

import pytest

from handrail.features.agent.settings import AgentSettings
from handrail.kernel.settings import load_one
from handrail.ports.settings import BrokenSettings
from handrail.stores.local.config_file import choose


def test_a_choice_is_written_and_changed_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    rest = '# mine\nport = 7000\n\n[[rules]]\ntool = "model = x"\ndecision = "deny"\n'
    file.write_text(rest)
    choose(tmp_path, model="openai:one")
    choose(tmp_path, model='anthropic:"two"', model_base_url="http://127.0.0.1:1/v1")
    settings = load_one(AgentSettings, tmp_path, {})
    assert (settings.model, settings.model_base_url) == ('anthropic:"two"', "http://127.0.0.1:1/v1")
    assert file.read_text().endswith(rest)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_would_come_to_harm_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    odd = 'model_base_url = """\nmodel = 1\n"""\n'
    assert tomllib.loads(odd)
    for text in (odd, "port = \n"):
        file.write_text(text)
        with pytest.raises(BrokenSettings):
            choose(tmp_path, model="openai:one")
        assert file.read_text() == text
