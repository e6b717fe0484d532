"""Commands such as `handrail agents` list what there is, also as JSON and in another state directory."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from handrail.wiring import Wiring


def run(*words: str) -> Result:
    return CliRunner().invoke(group(commands(), open_program), words)


@pytest.mark.parametrize("name", ["agents", "secrets", "rules", "notify", "apps"])
def test_a_group_without_a_command_lists(tmp_path: Path, name: str) -> None:
    listed = run(name, "list", "--state", str(tmp_path))
    assert listed.exit_code == 0
    assert run(name, "--state", str(tmp_path)).stdout == listed.stdout
    assert json.loads(run(name, "--json", "--state", str(tmp_path)).stdout)
    assert "No such command 'lst'" in run(name, "lst").stderr


def test_the_state_directory_may_be_named_before_the_command(tmp_path: Path) -> None:
    Wiring().open_stores(tmp_path).agents.add("ada")
    result = run("agents", "--state", str(tmp_path), "list", "--json")
    assert [agent["name"] for agent in json.loads(result.stdout)["agents"]] == ["ada"]
